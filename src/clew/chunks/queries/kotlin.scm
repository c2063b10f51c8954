; A companion object without a name is its class: `Box.create`, not `Box.Companion.create`.
; --- definitions ---
(class_declaration "class" name: (identifier) @name (class_body)? @body) @def.class
(class_declaration "class" name: (identifier) @name (enum_class_body) @body) @def.enum
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @def.interface
(object_declaration name: (identifier) @name (class_body)? @body) @def.class
(companion_object name: (identifier) @name (class_body)? @body) @def.class
(enum_entry . (identifier) @name) @def.constant
(enum_entry (modifiers) . (identifier) @name) @def.constant
(function_declaration name: (identifier) @name (function_body)? @body) @def.function
(function_declaration [
    (user_type (identifier) @owner .)
    (user_type (identifier) @owner . (type_arguments))
    (nullable_type (user_type (identifier) @owner))
  ] . "." . name: (identifier) @name (function_body)? @body) @def.function
(secondary_constructor "constructor" @name (block)? @body) @def.method
(class_parameter ["val" "var"] . (identifier) @name) @def.field
(class_body (property_declaration (variable_declaration . (identifier) @name) [(getter) (setter)]? @body) @def.variable)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name) [(getter) (setter)]? @body) @def.variable)
(source_file (property_declaration (variable_declaration . (identifier) @name) [(getter) (setter)]? @body) @def.variable)
(source_file (property_declaration
  [(user_type (identifier) @owner .) (user_type (identifier) @owner . (type_arguments))
   (nullable_type (user_type (identifier) @owner))]
  . "." . (variable_declaration . (identifier) @name) [(getter) (setter)]? @body) @def.variable)
((property_declaration (modifiers (property_modifier) @_const) (variable_declaration . (identifier) @name)) @def.constant
  (#eq? @_const "const"))
(type_alias type: (identifier) @name) @def.type

; Tests that a string names.
((call_expression
  (call_expression (identifier) @_test (value_arguments . (value_argument (string_literal))))
  (annotated_lambda (lambda_literal) @body)) @case
  (#any-of? @_test "test" "xtest" "describe" "context" "it" "should" "feature" "scenario" "given"
    "Given" "When" "Then" "expect"))
(call_expression (string_literal) (annotated_lambda (lambda_literal) @body)) @case

; --- attached lines ---
[(line_comment) (block_comment)] @comment

; --- references ---
(import) @imports
(import (qualified_identifier) @ref.module)
(import (qualified_identifier (identifier) @ignore . (identifier)))
(package_header (qualified_identifier (identifier) @ignore))
(call_expression . (identifier) @ref.call)
(call_expression . (navigation_expression (identifier) @ref.call .))
(constructor_invocation (user_type (identifier) @ref.call .))
(constructor_invocation (user_type (identifier) @ref.call . (type_arguments) .))
(annotation (constructor_invocation (user_type (identifier) @ref.call .)))
(infix_expression (_) . (identifier) @ref.call . (_))
(callable_reference (identifier) @ref.call .)
(user_type (identifier) @ref.type .)
(user_type (identifier) @ref.type . (type_arguments) .)
(identifier) @ref.use
