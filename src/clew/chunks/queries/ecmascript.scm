; What JavaScript, TypeScript and TSX share.
; --- definitions ---
(function_declaration name: (identifier) @name body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @def.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @def.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)
])
(export_statement declaration: [
  (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)
])
(method_definition
  name: [(property_identifier) (private_property_identifier) (string) (number)] @name
  body: (_) @body) @def.method
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
((assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: (object)) @def.variable
  (#not-eq? @name "exports"))
(export_statement "default" @name value: [
  (arrow_function body: (_) @body)
  (function_expression !name body: (_) @body)
]) @def.function
(export_statement "default" @name value: (class !name body: (_) @body)) @def.class
(export_statement "default" @name value: (function_expression name: (identifier) @name body: (_) @body)) @def.function
(export_statement "default" @name value: [(call_expression) (object) (new_expression)]) @def.constant

(export_statement declaration: (_) @wrapped) @wrapper
(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
(expression_statement (assignment_expression) @wrapped) @wrapper

; Tests that a string names.
((expression_statement (call_expression
  function: (_) @_test
  arguments: (arguments [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @case
  (#match? @_test "^(\\w+\\.)?[fx]?(it|test|describe|context|suite|specify|scenario|feature|bench)(\\.\\w+)*($|[(`])"))

; --- attached lines ---
(comment) @comment
(decorator) @attached

; --- references ---
(import_statement) @imports
(export_statement source: (string)) @imports
(import_statement source: (string) @ref.module)
(export_statement source: (string) @ref.module)
((call_expression function: (identifier) @_require arguments: (arguments . (string) @ref.module .))
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @ref.module))
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @ref.call))
(new_expression constructor: (identifier) @ref.call)
(new_expression constructor: (member_expression property: (property_identifier) @ref.call))
(decorator (identifier) @ref.call)
[(identifier) (property_identifier) (private_property_identifier)
 (shorthand_property_identifier) (shorthand_property_identifier_pattern)] @ref.use
