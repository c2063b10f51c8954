; Beside ecmascript.scm, for TypeScript and TSX.
; --- definitions ---
(class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_body name: [(property_identifier) (string)] @name @def.constant)
(enum_assignment name: [(property_identifier) (string)] @name) @def.constant
(internal_module name: (_) @name body: (_) @body) @def.module
(module name: (_) @name body: (_) @body) @def.module
(ambient_declaration "global" @name (statement_block) @body) @def.module
(function_signature name: (identifier) @name) @def.function
(method_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @def.method
(abstract_method_signature name: (property_identifier) @name) @def.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @def.field
(interface_body (property_signature name: [(property_identifier) (string)] @name) @def.field)
(type_alias_declaration value: (object_type (property_signature name: [(property_identifier) (string)] @name) @def.field))
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @def.attribute
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @def.attribute
(ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)
])

(ambient_declaration (_) @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper

; --- references ---
(import_require_clause source: (string) @ref.module)
(extends_clause value: (identifier) @ref.type)
(extends_clause value: (member_expression property: (property_identifier) @ref.type))
(type_identifier) @ref.type
