; --- definitions ---
(function_definition name: (identifier) @name body: (_) @body) @def.function
(class_definition name: (identifier) @name body: (_) @body) @def.class
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @def.type
(expression_statement (assignment left: (identifier) @name)) @def.variable
(expression_statement (assignment right: (assignment left: (identifier) @name))) @def.variable
(expression_statement (assignment left: (pattern_list (identifier) @name))) @def.variable
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @name)
  (#eq? @self "self")) @def.attribute

(decorated_definition definition: (_) @wrapped) @wrapper
(block . (comment)* . (expression_statement . (string) @doc)) @documented
(module . (comment)* . (expression_statement . (string) @doc)) @documented

; --- attached lines ---
(comment) @comment

; --- references ---
[(import_statement) (import_from_statement) (future_import_statement)] @imports
(import_statement (dotted_name) @ref.module)
(import_statement (aliased_import name: (dotted_name) @ref.module))
(import_from_statement module_name: (_) @ref.module)
(call function: (identifier) @ref.call)
(call function: (attribute attribute: (identifier) @ref.call))
(decorator (identifier) @ref.call)
(decorator (attribute attribute: (identifier) @ref.call))
(class_definition superclasses: (argument_list (identifier) @ref.type))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @ref.type)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @ref.type)))
(type (identifier) @ref.type)
(type (attribute attribute: (identifier) @ref.type))
(type (generic_type (identifier) @ref.type))
(type (subscript value: (attribute attribute: (identifier) @ref.type)))
(type (binary_operator (identifier) @ref.type))
(type (binary_operator (attribute attribute: (identifier) @ref.type)))
(type (binary_operator (binary_operator (identifier) @ref.type)))
(identifier) @ref.use
