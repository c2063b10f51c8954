; What C and C++ share. A preprocessor's conditions are hidden before the parse.
; A name is found inside its @declarator by declarators.py.
; --- definitions ---
(function_definition declarator: (_) @declarator body: (_) @body) @def.function
(translation_unit (declaration declarator: (_) @declarator) @def.variable)
(ERROR (declaration declarator: (_) @declarator) @def.variable)
(declaration_list (declaration declarator: (_) @declarator) @def.variable)
(linkage_specification body: (declaration declarator: (_) @declarator) @def.variable)
(field_declaration declarator: (_) @declarator) @def.field
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.constant
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (_) @declarator) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (_) @declarator) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (_) @declarator) @def.enum
(type_definition declarator: (_) @declarator) @def.type
(preproc_function_def name: (identifier) @name) @def.macro
(preproc_def name: (identifier) @name value: (_)) @def.constant
; Not the guard that keeps a header from being read twice.
((preproc_def name: (identifier) @name !value) @def.constant
  (#not-match? @name "_(?:H|HH|HPP|HXX|INCLUDED?|GUARD)_*$"))

(linkage_specification body: (function_definition) @wrapped) @wrapper
(linkage_specification body: (declaration) @wrapped) @wrapper

; --- attached lines ---
(comment) @comment

; --- references ---
(preproc_include) @imports
(preproc_include path: [(string_literal) (system_lib_string)] @ref.module)
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (field_identifier) @ref.call))
(call_expression function: (parenthesized_expression (identifier) @ref.call))
(type_identifier) @ref.type
(preproc_arg) @words
[(identifier) (field_identifier)] @ref.use
