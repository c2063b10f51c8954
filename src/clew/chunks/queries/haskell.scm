; --- definitions ---
(header module: (module) @name) @def.module
(data_type name: (name) @name) @def.struct
(newtype name: (name) @name) @def.struct
(data_family name: (name) @name) @def.type
(type_family name: (name) @name) @def.type
(type_synomym name: (name) @name) @def.type
(class name: (name) @name declarations: (_)? @body) @def.class
(instance name: (name) @name declarations: (_) @body) @def.scope
((data_type name: (name) @_type constructors: (data_constructors (data_constructor constructor: [
    (record name: (constructor) @name)
    (prefix name: (constructor) @name)
    (infix operator: (_) @name)
  ]) @def.constant))
  (#not-eq? @_type @name))
((newtype name: (name) @_type constructor: (newtype_constructor name: (constructor) @name) @def.constant)
  (#not-eq? @_type @name))
(gadt_constructor name: (constructor) @name) @def.constant
(field name: (field_name (variable) @name)) @def.field
(signature name: (variable) @name) @def.function
(signature name: (variable) @name type: [(name) (list) (tuple)]) @def.constant
(signature names: (binding_list (variable) @name)) @def.function
(signature name: (prefix_id (operator) @name)) @def.function
(function name: (variable) @name match: (match) @body) @def.function
(function name: (prefix_id (operator) @name) match: (match) @body) @def.function
(function (infix operator: (operator) @name) match: (match) @body) @def.function
(function (infix operator: (infix_id (variable) @name)) match: (match) @body) @def.function
(declarations (bind name: (variable) @name match: (match) @body) @def.function)
(class_declarations (bind name: (variable) @name match: (match) @body) @def.function)
(instance_declarations (bind name: (variable) @name match: (match) @body) @def.function)

; --- attached lines ---
[(comment) (haddock)] @comment
(declarations (pragma) @attached)

; --- references ---
(import) @imports
(import module: (module) @ref.module)
(import module: (module (module_id) @ref.use .))
(import alias: (module (module_id) @ignore))
(exports (export variable: (variable) @ignore))
(exports (export type: (name) @ignore))
(header module: (module (module_id) @ignore))
(qualified module: (module (module_id) @ignore))
(apply function: (variable) @ref.call)
(apply function: (qualified id: (variable) @ref.call))
(infix operator: (operator) @ref.call)
(infix operator: (infix_id [(variable) @ref.call (qualified id: (variable) @ref.call)]))
(do statement: (exp (variable) @ref.call))
(apply function: (constructor) @ref.call)
(name) @ref.type
[(variable) (constructor)] @ref.use
