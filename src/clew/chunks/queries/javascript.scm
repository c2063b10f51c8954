; Beside ecmascript.scm.
; --- definitions ---
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @def.field

; --- references ---
(class_heritage (identifier) @ref.type)
(class_heritage (member_expression property: (property_identifier) @ref.type))
((jsx_opening_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
(jsx_closing_element name: (identifier) @ignore)
