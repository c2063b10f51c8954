"""Snippets of the languages of scripts, functions and schemas, as in `snippets.py`."""

from __future__ import annotations

SCALA = """// Copyright 2020 The Authors.

package com.example
package shop

import scala.collection.mutable.{Map => MutableMap, Set}
import cats._

/** A shape.
  *
  * With an area.
  */
sealed trait Shape[F[_]] extends Base with Serializable { self: Other =>
  type Key
  val name: String
  def area(scale: Int): Double
  def twice(scale: Int): Double = area(scale) * 2
}

object Shape extends ShapeInstances {
  implicit val ordering: Ordering[Shape] = Ordering.by(_.name)
  final val MaxSize = 10
  var counter = 0
  lazy val (left, right) = (1, 2)
  def apply[F[_]: Monad](name: String)(implicit ev: Show[F]): Shape[F] = {
    def helper(n: Int) = n + 1
    val local = helper(2)
    new Circle(name, local)
  }
  def unapply(s: Shape): Option[String] = Some(s.name)
}

@deprecated("no", "1.0")
final case class Circle(name: String, private val radius: Int = 3) extends Shape[Id] {
  override def area(scale: Int): Double = math.Pi * radius
  def <+>(that: Circle): Circle = this
}

case object Empty extends Shape[Id]

implicit class RichInt(val n: Int) extends AnyVal { def squared: Int = n * n }

type Alias[A] = Either[String, A]

package object util { def go(): Unit = println("x") }

enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green, Blue

given intOrd: Ord[Int] with
  def compare(x: Int, y: Int): Int = x - y

extension (c: Circle)
  def circumference: Double = c.radius * 2

def topLevel(x: Int): Int =
  x match
    case 1 => foo(x)
    case _ => x.bar[Int](y).baz
"""

BASH = """#!/usr/bin/env bash
# Installs things.
set -e

source ./lib.sh
. "$HOME/other.sh"

readonly VERSION="1.0"
export PATH_TO=/usr
declare -r LIMIT=3
name=value
NAMES=(a b c)

# Says hello.
hello() {
  local who="$1"
  counter=1
  echo "Hello ${who} $VERSION"
  log_it "$(date)"
}

function install_all {
  for x in "${NAMES[@]}"; do
    hello "$x" || return 1
  done
  inner() { true; }
}

function both() ( hello x )

case "$1" in
  install) install_all ;;
esac

if [ -z "${FOO-}" ]; then
  FOO=bar
  later() { hello; }
fi

alias ll='ls -l'
hello "world"
cat <<EOF
not a name $name
EOF
"""

LUA = """-- A module.
local Util = require("lazy.core.util")
local M = {}

M.version = "1.0"
MAX_ITEMS = 3
local limit, other = 3, 4

---@class Plugin
---@field name string
local Plugin = {}
Plugin.__index = Plugin

--- Loads a thing.
---@param name string
function M.load(name, opts)
  local x = Util.merge(name)
  local function inner() return x end
  return inner()
end

function Plugin:new(name)
  return setmetatable({ name = name }, self)
end

local function helper(a) return a.b:c(1) end

M.run = function(x) helper(x) end

local later = function() end

M.opts = {
  go = function() return 1 end,
  nested = { deep = 1 },
}

function global_fn() print "x" end
return M
"""

ELIXIR = '''defmodule Plug.Shop do
  @moduledoc """
  A shop.

  More.
  """

  use GenServer
  alias Plug.{Conn, Router}
  import Plug.Conn, only: [send_resp: 3]
  require Logger
  @behaviour Plug

  @timeout 5_000
  @type t :: %__MODULE__{name: String.t()}
  @typep inner :: atom
  @callback init(opts :: term) :: term

  defstruct [:name, size: 0]

  @doc """
  Starts it.
  """
  @spec start(t, keyword) :: {:ok, pid}
  def start(shop, opts \\\\ []) when is_list(opts) do
    local = helper(shop)
    Logger.info("x")
    GenServer.start_link(__MODULE__, local, timeout: @timeout)
  end

  # Says no.
  def start(_, :never), do: :error

  defp helper(%Conn{} = c), do: c |> Conn.halt() |> run
  def ping, do: :pong
  defmacro is_big(x) do
    quote do: unquote(x) > 1
  end
  defguard is_small(x) when x < 1
  defdelegate close(x), to: Other
  def a ~> b, do: a

  defmodule Inner do
    def go(), do: Plug.Shop.start(nil)
  end
end

defprotocol Size do
  @doc "Counts."
  def size(data)
end

defimpl Size, for: Map do
  def size(map), do: map_size(map)
end

defmodule ShopTest do
  use ExUnit.Case
  describe "x" do
    test "works well", %{a: a} do
      assert Shop.start(1) == 2
    end
  end
end
'''

HASKELL = """{-# LANGUAGE GADTs #-}
-- | A module.
module XMonad.Shop (Shop(..), start) where

import qualified Data.Map as M
import Data.List (sortBy, nub)
import XMonad.Core hiding (io)

-- | A shop.
data Shop a = Shop { shopName :: String, shopSize :: !Int }
            | Closed
            deriving (Show, Eq)

newtype Wrap a = Wrap { unWrap :: a }
type Alias = M.Map String Int

-- | Things with area.
class Eq a => HasArea a where
  -- | The area.
  area :: a -> Double
  area _ = 0
  type Key a

instance HasArea (Shop a) where
  area s = fromIntegral (shopSize s)

data Expr a where
  Lit :: Int -> Expr Int
  Add :: Expr Int -> Expr Int -> Expr Int

-- | Starts it.
-- Twice.
start :: Shop a -> IO ()
start Closed = return ()
start s = do
  let x = helper 1
  putStrLn (shopName s)
  mapM_ print xs
  where
    xs = nub [x, 2]
    helper :: Int -> Int
    helper n = n + 1

limit :: Int
limit = 3

(<+>) :: Int -> Int -> Int
a <+> b = a + b

type family F a where
  F Int = Bool

main :: IO ()
main = start (Shop "x" 3) >>= \\_ -> sortBy compare `seq` return ()
"""

ZIG = """//! A module.
const std = @import("std");
const mem = std.mem;
const util = @import("util.zig");

pub const Limit: usize = 3;
var counter: u32 = 0;

/// A shop.
pub const Shop = struct {
    name: []const u8,
    size: usize = 0,

    pub const Self = @This();

    /// Starts it.
    pub fn start(self: *Self, n: usize) !void {
        const local = helper(n);
        try std.fmt.format(self.name, .{local});
    }
    const Inner = enum { a, b };
};

const Color = enum(u8) { red, green, _ };
const Value = union(enum) { int: i32, float: f64 };
pub const Error = error{ OutOfMemory, Gone };

fn helper(n: usize) usize {
    return mem.indexOf(u8, "a", n) orelse n;
}

pub fn Generic(comptime T: type) type {
    return struct {
        items: []T,
        pub fn len(self: @This()) usize {
            return self.items.len;
        }
    };
}

extern fn c_call(x: c_int) void;

test "it works" {
    var s = Shop{ .name = "x" };
    try s.start(3);
}

test helper {
    _ = helper(1);
}
"""

TERRAFORM = """terraform {
  required_version = ">= 1.0"
  backend "s3" { bucket = "b" }
}

# The region.
variable "region" {
  type    = string
  default = "eu"
}

locals {
  name = "x-${var.region}"
  tags = { a = 1 }
}

resource "aws_instance" "web" {
  ami   = data.aws_ami.ubuntu.id
  count = length(local.tags)
  ebs_block_device {
    size = 3
  }
}

data "aws_ami" "ubuntu" { owners = ["x"] }
module "vpc" {
  source = "./modules/vpc"
  cidr   = aws_instance.web.cidr
}
output "ip" { value = module.vpc.ip }
provider "aws" { region = var.region }
region = "eu"
"""

GRAPHQL = '''"""A shop."""
type Shop implements Node & Named @key(fields: "id") {
  id: ID!
  "Its name."
  name(first: Int = 3): String!
  items: [Item!]! @deprecated
}

interface Node { id: ID! }
enum Level { LOW HIGH }
union Thing = Shop | Item
scalar Date
input ShopInput { name: String! }
directive @key(fields: String!) on OBJECT
extend type Query {
  shop(id: ID!): Shop
}
type Query { a: Int }
schema { query: Query }

query GetShop($id: ID!) {
  shop(id: $id) { ...ShopParts }
}
fragment ShopParts on Shop { name }
'''

BY_FILE = {
    "a.scala": SCALA,
    "a.sh": BASH,
    "a.lua": LUA,
    "a.ex": ELIXIR,
    "a.hs": HASKELL,
    "a.zig": ZIG,
    "a.tf": TERRAFORM,
    "a.graphql": GRAPHQL,
}
