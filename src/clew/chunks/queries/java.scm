; --- definitions ---
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(record_declaration name: (identifier) @name body: (_) @body) @def.class
(interface_declaration name: (identifier) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @def.interface
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(constructor_declaration name: (identifier) @name body: (_) @body) @def.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @def.constant
  (#match? @_modifiers "\\bstatic\\b[^@]*\\bfinal\\b|\\bfinal\\b[^@]*\\bstatic\\b"))
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(enum_constant name: (identifier) @name) @def.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.field))

; --- attached lines ---
[(line_comment) (block_comment)] @comment

; --- references ---
(import_declaration) @imports
(import_declaration (scoped_identifier) @ref.module)
(scoped_identifier scope: (identifier) @ignore)
(scoped_identifier scope: (scoped_identifier name: (identifier) @ignore))
(package_declaration (scoped_identifier name: (identifier) @ignore))
(package_declaration (identifier) @ignore)
(method_invocation name: (identifier) @ref.call)
(method_reference (identifier) @ref.call .)
(object_creation_expression type: (type_identifier) @ref.call)
(object_creation_expression type: (generic_type (type_identifier) @ref.call))
(object_creation_expression type: (generic_type (scoped_type_identifier (type_identifier) @ref.call .)))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @ref.call .))
(annotation name: (identifier) @ref.type)
(marker_annotation name: (identifier) @ref.type)
(type_identifier) @ref.type
(identifier) @ref.use
