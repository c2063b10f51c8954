; --- definitions ---
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
  ]))
  name: (field_identifier) @name
  body: (_)? @body) @def.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(field_declaration name: (field_identifier) @name) @def.field
(method_elem name: (field_identifier) @name) @def.method
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))

(type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrapper
(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper

; --- attached lines ---
(comment) @comment

; --- references ---
(import_spec) @imports
(import_spec path: (_) @ref.module)
(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression field: (field_identifier) @ref.call))
; A call with one type argument reads like an index or a conversion.
(call_expression function: (index_expression operand: [
  (identifier) @ref.call
  (selector_expression field: (field_identifier) @ref.call)
]))
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @ref.call
  (qualified_type name: (type_identifier) @ref.call)
]))
(type_identifier) @ref.type
(package_clause (package_identifier) @ignore)
[(identifier) (field_identifier) (package_identifier)] @ref.use
