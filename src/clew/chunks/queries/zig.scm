; --- definitions ---
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(variable_declaration . (identifier) @name (struct_declaration "{" @body)) @def.struct
(variable_declaration . (identifier) @name (union_declaration "{" @body)) @def.struct
(variable_declaration . (identifier) @name (opaque_declaration "{" @body)) @def.struct
(variable_declaration . (identifier) @name (enum_declaration "{" @body)) @def.enum
(variable_declaration . (identifier) @name (error_set_declaration "{" @body)) @def.enum
(error_set_declaration (identifier) @name @def.constant)
((enum_declaration (container_field name: (identifier) @name) @def.constant)
  (#not-eq? @name "_"))
(struct_declaration (container_field name: (identifier) @name) @def.field)
(union_declaration (container_field name: (identifier) @name) @def.field)
(source_file (container_field name: (identifier) @name) @def.field)
(source_file (variable_declaration "const" . (identifier) @name) @def.constant)
(struct_declaration (variable_declaration "const" . (identifier) @name) @def.constant)
(union_declaration (variable_declaration "const" . (identifier) @name) @def.constant)
(enum_declaration (variable_declaration "const" . (identifier) @name) @def.constant)
(opaque_declaration (variable_declaration "const" . (identifier) @name) @def.constant)
(source_file (variable_declaration "var" . (identifier) @name) @def.variable)
(struct_declaration (variable_declaration "var" . (identifier) @name) @def.variable)

(test_declaration (block) @body) @case

; --- attached lines ---
((comment) @comment (#not-match? @comment "^//!"))
((comment) @inner (#match? @inner "^//!"))

; --- references ---
(variable_declaration (builtin_function (builtin_identifier) @_import (arguments (string) @ref.module))
  (#eq? @_import "@import"))
((builtin_function (builtin_identifier) @_import (arguments (string) @ref.module))
  (#eq? @_import "@import"))
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression member: (identifier) @ref.call))
(struct_initializer (identifier) @ref.type)
(struct_initializer (field_expression member: (identifier) @ref.type))
(pointer_type (identifier) @ref.type)
(error_union_type (identifier) @ref.type)
(parameter type: (identifier) @ref.type)
(container_field type: (identifier) @ref.type)
(identifier) @ref.use
