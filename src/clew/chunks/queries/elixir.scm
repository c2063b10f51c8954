; Everything is a call in this grammar; what a call defines is told by its name.
; --- definitions ---
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @def.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @def.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @def.scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (do_block)? @body) @def.function
  (#any-of? @_def "def" "defp" "defdelegate"))
((call target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])
  (do_block)? @body) @def.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_def (arguments [
    (atom) @name
    (list (atom) @name)
    (keywords (pair key: (keyword) @name))
    (list (keywords (pair key: (keyword) @name)))
  ])) @def.field
  (#any-of? @_def "defstruct" "defexception"))
((unary_operator "@" operand: (call target: (identifier) @_at (arguments . (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name)
  ] operator: "::")))) @def.type
  (#any-of? @_at "type" "typep" "opaque"))
((unary_operator "@" operand: (call target: (identifier) @_at (arguments . (binary_operator left:
    (call target: (identifier) @name) operator: "::")))) @def.function
  (#any-of? @_at "callback" "macrocallback"))
((do_block (unary_operator "@" operand: (call target: (identifier) @name (arguments))) @def.constant)
  (#not-match? @name "^(\\w*doc|spec|typep?|opaque|(macro)?callback|impl|behaviou?r|deprecated|since|dialyzer|compile|external_resource|before_compile|after_compile|on_load|on_definition|derive|enforce_keys|optional_callbacks|\\w*tag|vsn)$"))

((do_block (unary_operator "@" operand: (call target: (identifier) @_at
    (arguments [(string) (sigil)] @doc)))) @documented
  (#eq? @_at "moduledoc"))

; Tests that a string names.
((call target: (identifier) @_test (arguments . (string)) (do_block) @body) @case
  (#any-of? @_test "test" "describe" "property" "feature"))

; --- attached lines ---
(comment) @comment
((unary_operator "@" operand: (call target: (identifier) @_at (arguments . [(string) (sigil)]))) @comment
  (#any-of? @_at "doc" "typedoc"))
((unary_operator "@" operand: (call target: (identifier) @_at)) @attached
  (#any-of? @_at "doc" "typedoc" "spec" "impl" "deprecated" "since" "dialyzer"))

; --- references ---
((call target: (identifier) @_import (arguments . (alias) @ref.module)) @imports
  (#any-of? @_import "alias" "import" "require" "use"))
((call target: (identifier) @_import) @imports
  (#any-of? @_import "alias" "import"))
((unary_operator "@" operand: (call target: (identifier) @ignore))
  (#any-of? @ignore "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "impl" "behaviour"))
((call target: (identifier) @ignore)
  (#any-of? @ignore "def" "defp" "defmodule" "defmacro" "defmacrop" "defstruct" "defimpl"
    "defprotocol" "defguard" "defguardp" "defdelegate" "defexception" "alias" "import" "require"
    "use" "quote" "unquote" "if" "unless" "case" "cond" "with" "for" "fn" "raise" "describe"
    "test" "assert" "refute"))
((unary_operator "@" operand: (call target: (identifier) @_at (arguments
    (binary_operator left: (call target: (identifier) @ignore) operator: "::"))))
  (#eq? @_at "spec"))
(call target: (identifier) @ref.call)
(call target: (dot right: (identifier) @ref.call))
(binary_operator operator: "|>" right: (identifier) @ref.call)
(unary_operator operator: "&" operand: (binary_operator left: [
  (identifier) @ref.call
  (call target: (dot right: (identifier) @ref.call))
]))
(struct (alias) @ref.type)
(alias) @ref.use
(identifier) @ref.use
