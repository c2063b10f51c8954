; --- definitions ---
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @def.enum
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @def.scope
(protocol_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(enum_entry name: (simple_identifier) @name) @def.constant
(function_declaration "func" . name: _ @name body: (_)? @body) @def.function
(protocol_function_declaration "func" . name: _ @name) @def.method
(init_declaration "init" @name body: (_)? @body) @def.method
(deinit_declaration "deinit" @name body: (_)? @body) @def.method
(subscript_declaration "subscript" @name (computed_property)? @body) @def.method
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.variable)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.variable)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.variable)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.field
(typealias_declaration "typealias" . name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type
(macro_declaration (simple_identifier) @name) @def.macro

; Tests that a string names.
((call_expression (simple_identifier) @_test (call_suffix
  (value_arguments . (value_argument value: (line_string_literal))) (lambda_literal) @body)) @case
  (#any-of? @_test "describe" "context" "it" "fdescribe" "fcontext" "fit" "xdescribe" "xcontext" "xit"))

; --- attached lines ---
[(comment) (multiline_comment)] @comment
(directive) @attached

; --- references ---
(import_declaration) @imports
(import_declaration (identifier) @ref.module)
(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.call)))
(call_expression . (prefix_expression target: (simple_identifier) @ref.call))
(constructor_expression constructed_type: (user_type (type_identifier) @ref.call))
(macro_invocation (simple_identifier) @ref.call)
(value_argument_label (simple_identifier) @ignore)
(parameter external_name: (simple_identifier) @ignore)
(type_identifier) @ref.type
(simple_identifier) @ref.use
(import_declaration (modifiers (attribute (user_type (type_identifier) @ignore))))
