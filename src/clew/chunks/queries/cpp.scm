; Beside c.scm.
; --- definitions ---
(class_specifier name: (type_identifier) @name body: (_) @body) @def.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @def.class
(class_specifier name: (qualified_identifier scope: (_) @owner name: (type_identifier) @name) body: (_) @body) @def.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @def.struct
(struct_specifier name: (qualified_identifier scope: (_) @owner name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
]) body: (_) @body) @def.struct
(function_definition declarator: (_) @declarator [(default_method_clause) (delete_method_clause)]) @def.function
(function_definition declarator: (_) @declarator (try_statement) @body) @def.function
(field_declaration_list (declaration declarator: (_) @declarator) @def.field)
(template_declaration (declaration declarator: (_) @declarator) @def.variable)
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name body: (_) @body) @def.module
(namespace_alias_definition name: (namespace_identifier) @name) @def.module
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type
((declaration (type_qualifier) @_constant declarator: (_) @declarator) @def.constant
  (#eq? @_constant "constexpr"))

(template_declaration [
  (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration)
  (alias_declaration) (concept_definition) (template_declaration) (friend_declaration)
] @wrapped) @wrapper
(friend_declaration (function_definition) @wrapped) @wrapper

; --- references ---
(using_declaration) @imports
(call_expression function: (qualified_identifier name: (identifier) @ref.call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @ref.call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name: [
  (identifier) @ref.call
  (template_function name: (identifier) @ref.call)
  (qualified_identifier name: (identifier) @ref.call)
])))
(call_expression function: (template_function name: (identifier) @ref.call))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @ref.call)))
(new_expression type: [
  (type_identifier) @ref.call
  (template_type name: (type_identifier) @ref.call)
  (qualified_identifier name: (type_identifier) @ref.call)
  (qualified_identifier name: (template_type name: (type_identifier) @ref.call))
])
(destructor_name (identifier) @ignore)
(namespace_identifier) @ref.use
