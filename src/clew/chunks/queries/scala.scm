; --- definitions ---
(class_definition name: (identifier) @name body: (_)? @body) @def.class
(object_definition name: (identifier) @name body: (_)? @body) @def.class
(trait_definition name: (identifier) @name body: (_)? @body) @def.trait
(enum_definition name: (identifier) @name body: (_) @body) @def.enum
(package_object name: (identifier) @name body: (_) @body) @def.module
(simple_enum_case name: (identifier) @name) @def.constant
(full_enum_case name: (identifier) @name) @def.constant
(function_definition name: (_) @name body: (_) @body) @def.function
(function_declaration name: (_) @name) @def.function
(val_definition pattern: (identifier) @name) @def.variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @def.variable
(val_declaration name: (identifier) @name) @def.variable
(var_definition pattern: (identifier) @name) @def.variable
(var_declaration name: (identifier) @name) @def.variable
((class_definition class_parameters: (class_parameters (class_parameter name: (identifier) @name) @def.field)))
(type_definition name: (type_identifier) @name) @def.type
(given_definition name: (identifier) @name body: (with_template_body) @body) @def.class
(given_definition name: (identifier) @name) @def.variable
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
]))) @def.scope

; Tests that a string names.
((call_expression
  function: (call_expression function: (identifier) @_test arguments: (arguments . (string)))
  arguments: (block) @body) @case
  (#any-of? @_test "test" "describe" "it" "they" "feature" "Feature" "scenario" "Scenario" "property"))
((infix_expression operator: (identifier) @_test right: (block) @body) @case
  (#any-of? @_test "in" "should" "when" "must" "can"))

; --- attached lines ---
[(comment) (block_comment)] @comment

; --- references ---
(import_declaration) @imports
(package_clause (package_identifier (identifier) @ignore))
(parameter name: (identifier) @ignore)
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (identifier) @ref.call))
(call_expression function: (generic_function function: [
  (identifier) @ref.call
  (field_expression field: (identifier) @ref.call)
]))
(infix_expression operator: (identifier) @ref.call)
(instance_expression (type_identifier) @ref.call)
(instance_expression (generic_type type: (type_identifier) @ref.call))
(annotation name: (type_identifier) @ref.type)
(type_identifier) @ref.type
(identifier) @ref.use
