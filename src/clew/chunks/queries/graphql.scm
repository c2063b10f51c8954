; --- definitions ---
(object_type_definition (name) @name (fields_definition)? @body) @def.class
(interface_type_definition (name) @name (fields_definition)? @body) @def.interface
(input_object_type_definition (name) @name (input_fields_definition)? @body) @def.struct
(enum_type_definition (name) @name (enum_values_definition)? @body) @def.enum
(union_type_definition (name) @name) @def.type
(scalar_type_definition (name) @name) @def.type
(directive_definition (name) @name) @def.macro
(object_type_extension (name) @name (fields_definition) @body) @def.scope
(interface_type_extension (name) @name (fields_definition) @body) @def.scope
(enum_value_definition (enum_value (name) @name)) @def.constant
(field_definition (name) @name) @def.field
(input_fields_definition (input_value_definition (name) @name) @def.field)
(operation_definition (name) @name (selection_set) @body) @def.function
(fragment_definition (fragment_name (name) @name) (selection_set) @body) @def.function

(definition (_ (_ (_) @wrapped))) @wrapper
(definition (_ (_) @wrapped)) @wrapper
(object_type_definition (description (_) @doc) (fields_definition) @documented)
(interface_type_definition (description (_) @doc) (fields_definition) @documented)
(input_object_type_definition (description (_) @doc) (input_fields_definition) @documented)
(enum_type_definition (description (_) @doc) (enum_values_definition) @documented)

; --- attached lines ---
(comment) @comment

; --- references ---
(named_type (name) @ref.type)
(fragment_spread (fragment_name (name) @ref.call))
(directive (name) @ref.use)
(selection (field (name) @ref.use))
(alias (name) @ignore)
