; --- definitions ---
(function_item name: (identifier) @name body: (_) @body) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name body: (_)? @body) @def.struct
(union_item name: (type_identifier) @name body: (_) @body) @def.struct
(enum_item name: (type_identifier) @name body: (_) @body) @def.enum
(enum_variant name: (identifier) @name) @def.constant
(field_declaration name: (field_identifier) @name) @def.field
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(impl_item type: [
    (type_identifier) @name
    (primitive_type) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (pointer_type type: (type_identifier) @name)
  ]
  body: (_) @body) @def.scope
(mod_item name: (identifier) @name body: (_)? @body) @def.module
(macro_definition name: (identifier) @name) @def.macro
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.constant
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
; A macro with a syntax of its own: the type that it makes (`bitflags! { struct A: u8 { … } }`).
((source_file (macro_invocation macro: (_) @_macro (token_tree "struct" . (identifier) @name)) @def.struct)
  (#not-match? @_macro "quote"))
((source_file (macro_invocation macro: (_) @_macro (token_tree "enum" . (identifier) @name)) @def.enum)
  (#not-match? @_macro "quote"))
((declaration_list (macro_invocation macro: (_) @_macro (token_tree "struct" . (identifier) @name)) @def.struct)
  (#not-match? @_macro "quote"))
((declaration_list (macro_invocation macro: (_) @_macro (token_tree "enum" . (identifier) @name)) @def.enum)
  (#not-match? @_macro "quote"))

; --- attached lines ---
(line_comment !inner) @comment
(block_comment !inner) @comment
[(line_comment inner: (_)) (block_comment inner: (_))] @inner
(attribute_item) @attached

; --- references ---
[(use_declaration) (extern_crate_declaration)] @imports
(use_declaration argument: (scoped_identifier) @ref.module)
(scoped_use_list path: (scoped_identifier) @ref.module)
(use_wildcard (scoped_identifier) @ref.module)
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (field_identifier) @ref.call))
(call_expression function: (scoped_identifier name: (identifier) @ref.call))
(call_expression function: (generic_function function: [
  (identifier) @ref.call
  (field_expression field: (field_identifier) @ref.call)
  (scoped_identifier name: (identifier) @ref.call)
]))
(macro_invocation macro: (identifier) @ref.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @ref.call))
(token_tree (identifier) @ref.call . (token_tree . "("))
(type_identifier) @ref.type
(lifetime (identifier) @ignore)
[(identifier) (field_identifier) (shorthand_field_identifier)] @ref.use
