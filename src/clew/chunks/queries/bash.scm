; --- definitions ---
(function_definition name: (word) @name body: (_) @body) @def.function
; An assignment before a command holds for that command only, so it is no definition.
(program (variable_assignment name: (variable_name) @name) @def.variable)
(if_statement (variable_assignment name: (variable_name) @name) @def.variable)
(elif_clause (variable_assignment name: (variable_name) @name) @def.variable)
(else_clause (variable_assignment name: (variable_name) @name) @def.variable)
(case_item (variable_assignment name: (variable_name) @name) @def.variable)
(list (variable_assignment name: (variable_name) @name) @def.variable)
(declaration_command (variable_assignment name: (variable_name) @name)) @def.variable

; --- attached lines ---
(comment) @comment

; --- references ---
((command name: (command_name (word) @_source) argument: [(word) (string) (raw_string)] @ref.module)
  (#any-of? @_source "source" "."))
(command_name (word) @ref.call)
(variable_name) @ref.use
