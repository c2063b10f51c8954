; --- definitions ---
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(function_declaration
  name: [
    (dot_index_expression table: (_) @owner field: (identifier) @name)
    (method_index_expression table: (_) @owner method: (identifier) @name)
  ]
  body: (_)? @body) @def.function
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @def.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @def.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @def.method
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @def.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement
  (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))) @def.variable)

(variable_declaration . (assignment_statement) @wrapped .) @wrapper

; Tests that a string names.
((function_call name: (identifier) @_test arguments: (arguments . (string) (function_definition body: (_) @body))) @case
  (#any-of? @_test "describe" "context" "insulate" "expose" "it" "spec" "test" "pending"))

; --- attached lines ---
(comment) @comment

; --- references ---
((function_call name: (identifier) @_require arguments: (arguments . (string) @ref.module .))
  (#eq? @_require "require"))
(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression field: (identifier) @ref.call))
(function_call name: (method_index_expression method: (identifier) @ref.call))
(identifier) @ref.use
