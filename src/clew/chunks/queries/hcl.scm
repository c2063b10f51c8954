; Terraform's own words for blocks tell what they define; another block is a module by its label.
; --- definitions ---
(block (identifier) @_word . (string_lit (template_literal) @owner)
  . (string_lit (template_literal) @name) . (block_start) @body) @def.struct
((block (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body) @def.module
  (#not-match? @_word "^(variable|output|dynamic|provisioner|backend)$"))
((block (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body) @def.variable
  (#any-of? @_word "variable" "output"))
(config_file (body (block (identifier) @name . (block_start) @body) @def.scope))
((block (identifier) @_word . (block_start) (body (attribute . (identifier) @name) @def.variable))
  (#eq? @_word "locals"))
(config_file (body (attribute . (identifier) @name) @def.variable))

; --- attached lines ---
(comment) @comment

; --- references ---
(block . (identifier) @ignore)
((variable_expr (identifier) @ignore) (#any-of? @ignore "var" "local" "data" "module" "each"
  "self" "count" "path" "string" "number" "bool" "any" "list" "map" "set" "object"))
(function_call (identifier) @ref.call)
[(variable_expr (identifier) @ref.use) (get_attr (identifier) @ref.use)]
