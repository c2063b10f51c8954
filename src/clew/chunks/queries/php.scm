; A namespace is no symbol: like a package in Java, it is on every file and says little.
; --- definitions ---
(class_declaration name: (name) @name body: (_) @body) @def.class
(interface_declaration name: (name) @name body: (_) @body) @def.interface
(trait_declaration name: (name) @name body: (_) @body) @def.trait
(enum_declaration name: (name) @name body: (_) @body) @def.enum
(enum_case name: (name) @name) @def.constant
(method_declaration name: (name) @name body: (_)? @body) @def.method
(function_definition name: (name) @name body: (_) @body) @def.function
(property_declaration (property_element name: (variable_name (name) @name))) @def.field
(property_promotion_parameter name: (variable_name (name) @name)) @def.attribute
(property_promotion_parameter name: (by_ref (variable_name (name) @name))) @def.attribute
(const_declaration (const_element . (name) @name)) @def.constant
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string) @name))) @def.constant
  (#eq? @_define "define"))
(program (expression_statement (assignment_expression left: (variable_name (name) @name)) @def.variable))
(program (expression_statement (assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @def.function))

; if (! function_exists('name')) { function name() {…} }
(if_statement body: (compound_statement . (function_definition) @wrapped .)) @wrapper
(if_statement body: (compound_statement . (comment) . (function_definition) @wrapped .)) @wrapper

; Tests that a string names.
((expression_statement (function_call_expression function: (name) @_test
  arguments: (arguments . (argument (_)) (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))) @case
  (#any-of? @_test "describe" "it" "test"))

; --- attached lines ---
(comment) @comment

; --- references ---
(namespace_use_declaration) @imports
(namespace_use_clause [(qualified_name) (name)] @ref.module)
(namespace_use_clause (qualified_name prefix: (namespace_name (name) @ignore)))
(namespace_use_declaration (namespace_name (name) @ignore))
(namespace_definition name: (namespace_name (name) @ignore))
[(include_expression (string) @ref.module) (include_once_expression (string) @ref.module)
 (require_expression (string) @ref.module) (require_once_expression (string) @ref.module)]
(function_call_expression function: [(name) @ref.call (qualified_name (name) @ref.call .)])
(member_call_expression name: (name) @ref.call)
(nullsafe_member_call_expression name: (name) @ref.call)
(scoped_call_expression name: (name) @ref.call)
(object_creation_expression [(name) @ref.call (qualified_name (name) @ref.call .)])
(scoped_call_expression scope: [(name) @ref.type (qualified_name (name) @ref.type .)])
(scoped_property_access_expression scope: [(name) @ref.type (qualified_name (name) @ref.type .)])
(class_constant_access_expression . [(name) @ref.type (qualified_name (name) @ref.type .)])
(named_type [(name) @ref.type (qualified_name (name) @ref.type .)])
(base_clause [(name) @ref.type (qualified_name (name) @ref.type .)])
(class_interface_clause [(name) @ref.type (qualified_name (name) @ref.type .)])
(use_declaration [(name) @ref.type (qualified_name (name) @ref.type .)])
(attribute [(name) @ref.type (qualified_name (name) @ref.type .)])
(binary_expression operator: "instanceof" right: [(name) @ref.type (qualified_name (name) @ref.type .)])
(name) @ref.use
