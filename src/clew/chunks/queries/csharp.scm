; A namespace is no symbol: like a package in Java, it is on every file and says little.
; --- definitions ---
(class_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.field))
(struct_declaration name: (identifier) @name body: (_)? @body) @def.struct
(interface_declaration name: (identifier) @name body: (_)? @body) @def.interface
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_member_declaration name: (identifier) @name) @def.constant
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @def.method
(destructor_declaration name: (identifier) @name body: (_)? @body) @def.method
(operator_declaration operator: _ @name body: (_)? @body) @def.method
(local_function_statement name: (identifier) @name body: (_)? @body) @def.function
(indexer_declaration "this" @name accessors: (_)? @body) @def.field
(property_declaration name: (identifier) @name accessors: (_)? @body) @def.field
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @def.field
(event_declaration name: (identifier) @name accessors: (_)? @body) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
((field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
  (#eq? @_modifier "const"))
((field_declaration (modifier) @_static (modifier) @_readonly (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
  (#eq? @_static "static") (#eq? @_readonly "readonly"))

(global_statement (local_function_statement) @wrapped) @wrapper

; --- attached lines ---
(comment) @comment

; --- references ---
(using_directive) @imports
(using_directive (qualified_name) @ref.module)
(using_directive !name (identifier) @ref.module)
(using_directive (qualified_name qualifier: (identifier) @ignore))
(using_directive (qualified_name qualifier: (qualified_name qualifier: (identifier) @ignore name: (identifier) @ignore)))
(using_directive (qualified_name qualifier: (qualified_name
  qualifier: (qualified_name qualifier: (identifier) @ignore name: (identifier) @ignore)
  name: (identifier) @ignore)))
(invocation_expression function: [
  (identifier) @ref.call
  (generic_name (identifier) @ref.call)
  (member_access_expression name: (identifier) @ref.call)
  (member_access_expression name: (generic_name (identifier) @ref.call))
  (conditional_access_expression (member_binding_expression name: (identifier) @ref.call))
  (conditional_access_expression (member_binding_expression name: (generic_name (identifier) @ref.call)))
])
(object_creation_expression type: [
  (identifier) @ref.call
  (generic_name (identifier) @ref.call)
  (qualified_name name: (identifier) @ref.call)
  (qualified_name name: (generic_name (identifier) @ref.call))
])
(primary_constructor_base_type type: (identifier) @ref.call)
(attribute name: (identifier) @ref.type)
(base_list [(identifier) @ref.type (qualified_name name: (identifier) @ref.type)])
(generic_name (identifier) @ref.type)
(type_argument_list [(identifier) @ref.type (qualified_name name: (identifier) @ref.type)])
(type_parameter name: (identifier) @ref.type)
(type_parameter_constraints_clause (identifier) @ref.type)
(as_expression right: (identifier) @ref.type)
(is_expression right: (identifier) @ref.type)
(_ type: [(identifier) @ref.type (qualified_name name: (identifier) @ref.type)])
(_ returns: [(identifier) @ref.type (qualified_name name: (identifier) @ref.type)])
(explicit_interface_specifier (identifier) @ref.type)
(identifier) @ref.use
