; Beside ecmascript.scm and typescript.scm.
; --- references ---
((jsx_opening_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
(jsx_closing_element name: (identifier) @ignore)
