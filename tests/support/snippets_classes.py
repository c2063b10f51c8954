"""Snippets of C, C++, C#, Ruby, PHP, Kotlin and Swift, with what makes each hard to cut."""

from __future__ import annotations

C = """/* Copyright The Authors */
#include <stdio.h>
#include "local.h"
#define MAX_SIZE 10
#define SQUARE(x) ((x) * (x))

/* A point. */
typedef struct {
  int x, *y;
  void (*cb)(int);
} Point;

typedef struct node Node;
typedef int (*handler)(void *ctx);
typedef unsigned int uint;
struct node { Node *next; unsigned flag : 1; char buf[3]; };
union U { int a; float b; };
enum color { RED, GREEN = 2 };
typedef enum { A_ONE, A_TWO } kind_t;

static const char *const names[] = { "a", "b" };
int counter = 0, *ptr;
extern int shared;
int add(int a, int b);
static char *dup(const char *s);

/**
 * Adds.
 */
static int add(int a, int b)
{
  int local = a;
  return SQUARE(local) + helper(b, &counter);
}

char *dup(s)
  const char *s;
{
  return strdup(s);
}

#ifdef FEATURE
static CURLcode feature(struct node *n, Point *p)
{
  n->next = (Node *)p;
  p->cb(3);
  return CURLE_OK;
}
#else
#define feature(x,y) 1
#endif
void (*signal(int sig, void (*func)(int)))(int) { return 0; }
EXPORT int exported(void) { goto out; out: return sizeof(Point); }
static struct ops table = { .open = my_open, .close = my_close };
"""

CPP = """#include <vector>
namespace a::b {
namespace {
constexpr int kMax = 3;
}
/// A box.
template <typename T, int N = 2>
class Box : public Base<T>, private ns::Other {
 public:
  explicit Box(int w) : width_(w) {}
  ~Box();
  Box(const Box&) = delete;
  virtual int area() const = 0;
  int Width() const { return width_; }
  Box& operator=(const Box& other);
  bool operator()(int x) const { return x; }
  explicit operator bool() const { return true; }
  static int count;
  using value_type = T;
  friend class Friend;
  friend bool operator==(const Box& a, const Box& b) { return true; }
  template <typename U> U as() { return static_cast<U>(width_); }
 private:
  int width_ = 0, h_;
  std::vector<T> items_;
  enum class Mode : int { kFast, kSlow };
  struct Inner { int z; };
};

template <typename T>
int Box<T>::area() const { return std::max(1, 2); }
Box::~Box() { delete p; }
Foo::Foo(int a) : x(a), y{2} { }
int Foo::count = 0;
std::string* ns::Foo::name(int x) & noexcept { auto f = [&](int y) { return y; }; return f(x); }
bool operator<(const A& a, const B& b) { return a.x < b.x; }
A& A::operator+=(const A& o) { return *this; }
Foo::operator bool() const { return true; }
auto trail(int x) -> std::vector<int> { return {}; }
using Map = std::map<int, Box<int>>;
typedef void (*cb)(int);
concept X = requires { 1; };
template <typename T> concept Y = requires(T t) { t.x(); };
extern "C" { int c_fn(int); void c_def() {} }
extern "C" void c_one() {}
const auto lam = [](int q) { return q; };
absl::Status s = foo<int>(3);
enum E { A1 };
template<> struct hash<Box> { size_t operator()(int) const; };
int* arr[3];
new ns::Thing<int>(1);
static_assert(true);
TEST(SuiteName, CaseName) { EXPECT_EQ(1, 2); }
TEST_F(Suite, Two) {
  int x = 3;
  EXPECT_TRUE(x);
}
class EXPORT_MACRO Decl { int q; };
class Fwd;
ABSL_NAMESPACE_BEGIN
int after() { return 1; }
using std::string;
using namespace foo::bar;
namespace alias = a::b;
int Outer::Inner::deep() { return 0; }
template <class T> void fn(T&& t) requires C<T> { x.foo(); y->bar<int>(); ns::free(); }
inline constexpr int kV = 3;
}  // namespace
"""

CSHARP = """using System;
using static System.Math;
using Alias = System.Text.StringBuilder;
namespace Shop.Core;

/// <summary>A box.</summary>
[Serializable]
public partial class Box<T> : Base<T>, IThing where T : class
{
    public const int Limit = 3;
    private readonly int _size, _other = 2;
    public int Size { get; set; } = 1;
    public int Area => Width * 2;
    public int this[int i] { get => _items[i]; }
    public event EventHandler Changed;
    public event EventHandler Custom { add { } remove { } }
    public Box(int size) : base(size) { _size = size; }
    ~Box() { Dispose(); }
    [Obsolete("x")]
    public async Task<int> RunAsync(string name, CancellationToken token = default)
    {
        int Local(int x) => x + 1;
        var q = new List<int>();
        foo?.Bar(nameof(Box)); this.Run<int>(1);
        return await Helper.GetAsync(name);
    }
    public static bool operator ==(Box<T> a, Box<T> b) => true;
    public static explicit operator int(Box<T> b) => 1;
    void IThing.Do() { }
    public enum Mode { Fast = 1, Slow }
    delegate void Handler(object sender);
    abstract int Abs();
}
public record Person(string Name, int Age);
public record struct Pt { public int X { get; init; } }
public struct S { public int A; }
public interface IThing { void Do(); int P { get; } }
public static class Ext { public static int Len(this string s) => s.Length; }
public class Prim(int a) : B(a) { }
namespace Inner.Deep { class Q { } }
"""

RUBY = """# frozen_string_literal: true
require "set"
require_relative '../lib/x'
# Docs of Shop.
module Shop
  VERSION = "1.0"
  class Box < Base::Thing
    include Enumerable
    extend Foo::Bar
    attr_accessor :width, :height
    attr_reader "name"
    alias_method :w, :width
    alias old new
    delegate :size, to: :items
    has_many :orders, dependent: :destroy
    scope :recent, -> { where(x: 1) }
    @@count = 0
    LIMIT, OTHER = 1, 2
    # Makes one.
    def initialize(width)
      @width = width
      @height ||= Foo.new(1)
    end
    def self.build(*args, **kw, &block) = new(*args)
    def <=>(other) = 1
    def [](i); items[i]; end
    def name=(v)
      @name = v
    end
    class << self
      def create; end
      attr_accessor :config
      private
      def hidden; super; end
    end
    define_method(:dyn) { |x| x }
    define_method "dyn2" do |x|
      x
    end
    private def priv; end
    def empty?
      @items.empty? && any!
    end
    Point = Struct.new(:x, :y) do
      def dist; end
    end
  end
  class Error < StandardError; end
end
class A::B::C
  def go; end
end
def obj.single; end
describe Box, "thing" do
  let(:x) { 1 }
  context "when" do
    it "works" do
      expect(x).to eq(1)
      text = <<~SQL
        select 1
      SQL
    end
  end
end
namespace :db do
  desc "Migrates"
  task migrate: :environment do
    run
  end
  task :other do
    run
  end
end
Rails.application.routes.draw do
  resources :posts
  get "/x", to: "a#b"
end
test "a name of test" do
  assert foo
end
class Foo
  if true
    def cond; end
  end
  rescue_from X, with: :y
end
"""

PHP = """<?php

declare(strict_types=1);

namespace App\\Models;

use Illuminate\\Support\\Str;
use Foo\\{Bar, Baz as Qux};
use function Foo\\helper;

const GLOBAL_LIMIT = 1;
define('OLD_LIMIT', 3);

/**
 * A box.
 */
#[Attribute]
final class Box extends Base implements Thing, \\Countable
{
    use HasName, Soft { foo as bar; }
    public const LIMIT = 3, OTHER = 4;
    private ?string $name = null;
    protected static $items = [], $b;
    public function __construct(private readonly int $width, int $plain) { parent::__construct(); }
    /** Runs. */
    public static function run(string $x): ?Foo
    {
        $y = new Bar($x);
        static::make()->call($y)?->other();
        helper($x); \\Foo\\baz(); self::LIMIT; Foo::class;
        $f = function ($q) use ($x) { return $q; };
        $g = fn($z) => $z * 2;
        return $this->name;
    }
    abstract protected function abs();
}
interface Thing extends A, B { const X = 1; public function go(): void; }
trait HasName { protected $n; public function name() { return $this->n; } }
enum Suit: string { case Hearts = 'H'; case Spade = 'S'; const D = self::Hearts; function go() {} }
function top(int $a) { global $z; return $a; }
if (! function_exists('value')) {
    function value($v) { return $v; }
}
Route::get('/x', [C::class, 'm']);
$obj = new class extends Foo { public function anon() {} };
return ['a' => 1];
"""

KOTLIN = """@file:JvmName("Boxes")
package io.shop.core

import io.shop.other.*
import io.shop.thing.Foo as Bar

/**
 * A box.
 */
@Serializable
public data class Box<T : Any>(val width: Int, private var height: Int = 2, plain: String) :
    Base(width), Thing by other {
    public val area: Int get() = width * height
    val lazyOne by lazy { compute() }
    init { check(width > 0) }
    constructor(x: Int) : this(x, x, "")
    override suspend fun run(block: suspend () -> Unit): Int {
        val local = 3
        fun inner() = 1
        return block().let { Foo(it).go<Int>() }
    }
    companion object {
        const val LIMIT = 3
        fun create(): Box<Int> = Box(1, 2, "")
    }

    object Nested {
        val x = 1
    }
}

enum class Mode(val n: Int) {
    FAST(1),
    SLOW(2) {
        override fun f() {}
    };

    abstract fun f()
}

sealed interface Event {
    data class A(val x: Int) : Event
    object B : Event
}

fun String.shout(): String = uppercase()
fun <T> List<T>.second(): T = this[1]
val String.last: Char get() = this[length - 1]
typealias Handler = (Int) -> Unit
internal inline fun <reified T> top(x: Int) where T : Any = x
fun interface Fi {
    fun one()
}
annotation class Ann(val x: String)
class T {
    @Test
    fun `a name with spaces`() {
    }
}
val (a, b) = pair
infix fun Foo?.bar(x: io.ktor.Foo) {}
fun t() { call.respond<Foo>("x"); a infixy b; Foo.Bar(1); ::fnref; x is Foo; Foo.CONST }
"""

SWIFT = """import Foundation
@testable import Vapor
import struct Foo.Bar

/// A box.
@available(iOS 13, *)
public final class Box<T: Codable>: Base, Thing where T: Equatable {
    public static let limit = 3
    private(set) var name: String?, other = 2
    var area: Int { width * 2 }
    var both: Int { get { 1 } set { x = newValue } }
    @Published var state: State = .idle
    lazy var x: Int = { compute() }()
    public init(width: Int) { self.width = width }
    convenience init?(s: String) { return nil }
    deinit { close() }
    func run<U>(_ x: U, on loop: EventLoop) async throws -> Int {
        let local = 3
        func inner() {}
        guard let y = foo?.bar(x) else { return 1 }
        return try await self.client.send(y).map { Thing($0) }
    }
    subscript(i: Int) -> T { items[i] }
    static func == (a: Box, b: Box) -> Bool { true }
    class func make() -> Self { .init() }
    enum Mode: String { case fast, slow = "s"; case other(Int, name: String) }
    struct Inner { var z: Int }
    typealias Key = String
}
protocol Thing: AnyObject { associatedtype Item; var p: Int { get }; func go() -> Item; init(x: Int)
    static var q: Int { get } }
extension Box: Codable where T: X { func ext() {} var c: Int { 1 } }
extension Foo.Bar { static func z() {} }
struct Pt: Hashable { let x, y: Int }
actor Counter { var n = 0; nonisolated func a() {} }
indirect enum Tree { case leaf; case node(Tree) }
func top(a: Int) -> Int { a }
let global = 3
infix operator +++: AdditionPrecedence
prefix func - (x: V) -> V { x }
#if os(Linux)
func linux() {}
#else
func other() {}
#endif
macro stringify() = #externalMacro(module: "M", type: "T")
let (p, q) = (1, 2)
final class FooTests: XCTestCase { func testX() throws { XCTAssertEqual(1, 2) } }
@Test("name") func swiftTesting() async { #expect(x == 1) }
"""

BY_FILE = {
    "a.c": C,
    "a.cpp": CPP,
    "A.cs": CSHARP,
    "a.rb": RUBY,
    "a.php": PHP,
    "A.kt": KOTLIN,
    "a.swift": SWIFT,
}
