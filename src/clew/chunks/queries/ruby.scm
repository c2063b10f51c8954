; --- definitions ---
(module name: (constant) @name body: (_)? @body) @def.module
(module name: (scope_resolution scope: (_) @owner name: (constant) @name) body: (_)? @body) @def.module
(class name: (constant) @name body: (_)? @body) @def.class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name) body: (_)? @body) @def.class
(method name: (_) @name body: (_)? @body) @def.method
(singleton_method object: (_) @owner name: (_) @name body: (_)? @body) @def.method
(assignment left: (constant) @name) @def.constant
(operator_assignment left: (constant) @name) @def.constant
(assignment left: (left_assignment_list (constant) @name)) @def.constant
((assignment
  left: (constant) @name
  right: (call receiver: (constant) @_base method: (identifier) @_new block: (_) @body)) @def.class
  (#any-of? @_base "Class" "Struct" "Data") (#any-of? @_new "new" "define"))
((assignment
  left: (constant) @name
  right: (call receiver: (constant) @_base method: (identifier) @_new)) @def.class
  (#any-of? @_base "Class" "Struct" "Data") (#any-of? @_new "new" "define"))
((assignment
  left: (constant) @name
  right: (call receiver: (constant) @_base method: (identifier) @_new block: (_) @body)) @def.module
  (#eq? @_base "Module") (#eq? @_new "new"))
(assignment left: (instance_variable) @name) @def.attribute
(operator_assignment left: (instance_variable) @name) @def.attribute
(alias name: (_) @name) @def.method
((call !receiver method: (identifier) @_macro
  arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_) @body) @def.method
  (#any-of? @_macro "define_method" "define_singleton_method"))
((call !receiver method: (identifier) @_macro
  arguments: (argument_list . [(simple_symbol) (string)] @name)) @def.method
  (#any-of? @_macro "define_method" "define_singleton_method" "alias_method" "alias_attribute" "scope"))
((call !receiver method: (identifier) @_macro arguments: (argument_list [(simple_symbol) (string)] @name)) @def.field
  (#any-of? @_macro "attr_accessor" "attr_reader" "attr_writer" "attr" "class_attribute"
    "cattr_accessor" "cattr_reader" "cattr_writer" "mattr_accessor" "mattr_reader" "mattr_writer"
    "thread_mattr_accessor" "attr_internal" "config_accessor"))
((call !receiver method: (identifier) @_macro arguments: (argument_list . (simple_symbol) @name)) @def.field
  (#any-of? @_macro "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "has_one_attached"
    "has_many_attached" "attribute" "store_accessor"))
; Rake
((call !receiver method: (identifier) @_macro
  arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_) @body) @def.module
  (#eq? @_macro "namespace"))
((call !receiver method: (identifier) @_macro
  arguments: (argument_list . [
    (simple_symbol) @name
    (string) @name
    (pair . key: [(hash_key_symbol) (simple_symbol) (string)] @name)
  ])
  block: (_) @body) @def.function
  (#any-of? @_macro "task" "multitask"))

(call !receiver method: (identifier) arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper

; Tests that a string names.
((call method: (identifier) @_test block: (_ body: (_)? @body) @body) @case
  (#any-of? @_test "describe" "context" "feature" "it" "specify" "example" "scenario" "test" "its"
    "fdescribe" "fcontext" "fit" "xdescribe" "xcontext" "xit" "should" "shared_examples"
    "shared_examples_for" "shared_context"))

; --- attached lines ---
(comment) @comment

; --- references ---
((call method: (identifier) @_load arguments: (argument_list (string) @ref.module))
  (#any-of? @_load "require" "require_relative" "load" "autoload" "require_dependency"))
(call method: [(identifier) (constant)] @ref.call)
((call receiver: [(constant) @ref.call (scope_resolution name: (constant) @ref.call)] method: (identifier) @_new)
  (#eq? @_new "new"))
(superclass [(constant) @ref.type (scope_resolution name: (constant) @ref.type)])
(exceptions [(constant) @ref.type (scope_resolution name: (constant) @ref.type)])
((call method: (identifier) @_mixin arguments: (argument_list [
  (constant) @ref.type
  (scope_resolution name: (constant) @ref.type)
]))
  (#any-of? @_mixin "include" "extend" "prepend"))
[(identifier) (constant) (instance_variable) (class_variable) (global_variable) (simple_symbol)] @ref.use
