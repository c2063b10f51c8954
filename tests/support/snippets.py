"""One snippet of code per language, with what makes its chunks hard to cut."""

from __future__ import annotations

from support import snippets_classes, snippets_config, snippets_scripts

PYTHON = '''"""What this module is for."""

from __future__ import annotations

import os.path as p
from .models import (
    Order,
    Invoice as Bill,
)

LIMIT = 10
names: list[str] = []


@decorated(with_=LIMIT)
@twice
async def fetch(order: Order, *, retries: int = 3) -> Bill | None:
    """Fetches a bill.

    Over two paragraphs.
    """
    def again(n):
        return n + 1
    return await order.bill(again(retries))


# Says what a Box is,
# in two lines.
class Box(Base, metaclass=Meta):
    size: int = 0

    def __init__(self, width):
        self.width = width

    @property
    def area(self) -> int:
        return self.width * self.size
'''

JAVASCRIPT = """import React, { useState as state } from 'react';
const path = require('path');

const MAX_ITEMS = 5, other = 2;

/**
 * Shows a card.
 */
export const Card = ({ title }) => {
  const [open, setOpen] = state(false);
  return <Panel onClick={() => setOpen(!open)}>{title}</Panel>;
};

export default class Store extends Base {
  #secret = 1;
  handle = (event) => { this.emit(event); };
  static create() { return new Store(); }
  get size() { return this.items.length; }
}

function* walk(tree) { yield tree; } function two() { return 2; }

Store.prototype.clear = function () { this.items = []; };
module.exports.helper = function helper() {};
const table = {
  run() { return walk(1); },
  stop: () => {},
};
"""

TYPESCRIPT = """import type { Config } from "./config";

export interface Shape<T> extends Base {
  readonly name: string;
  area(scale: number): number;
}

export type Result<T> = { ok: true; value: T } | { ok: false };

export enum Color { Red = 1, Green }

declare module "plugin" {
  export function load(name: string): void;
}

namespace Inner.Deep {
  export const depth = 2;
}

export abstract class Service<T> implements Shape<T> {
  private cache: Map<string, T> = new Map();
  constructor(private readonly config: Config) {}
  abstract area(scale: number): number;
  @Memo()
  find(key: string): T | undefined { return this.cache.get(key); }
}

export function parse(text: string): number;
export function parse(text: string, base: number): number;
export function parse(text: string, base = 10): number {
  return Number.parseInt(text, base);
}
"""

TSX = """import { Button } from "./button";

type Props = { label: string };

export function Page({ label }: Props) {
  return <Button kind="big">{label}</Button>;
}

export const Row: React.FC<Props> = (props) => <Page {...props} />;
"""

GO = """// Package store keeps things.
package store

import (
	"fmt"
	str "strings"
)

const (
	First = iota
	Second
)

var ErrGone, errOther = fmt.Errorf("gone"), fmt.Errorf("other")

// Server serves.
type Server struct {
	Name string
	*Base
}

type Handler interface {
	Serve(name string) error
}

type (
	ID   int
	List []ID
)

// Start begins.
func (s *Server) Start(port int) error {
	return s.listen(str.ToUpper(s.Name), port)
}

func (l List) Len() int { return len(l) }
func (l List) Less(i, j int) bool { return l[i] < l[j] }

func New[T any](x T) *Server {
	return &Server{Name: fmt.Sprint(x)}
}
"""

JAVA = """package com.example.app;

import java.util.List;
import static java.lang.Math.max;

/** A shop. */
@Entity(name = "shop")
public class Shop<T extends Item> extends Base implements Closeable {
    private static final int LIMIT = 3;
    private List<T> items;

    public Shop(List<T> items) {
        super(items);
        this.items = items;
    }

    @Override
    public void close() throws IOException {
        items.forEach(Item::release);
    }

    static class Entry { int key; }
}

interface Pricing { int price(Item item); default int twice(Item i) { return 2 * price(i); } }

enum Level { LOW(1), HIGH(2); private final int rank; Level(int r) { this.rank = max(r, 0); } }

record Point(int x, int y) { Point { check(x); } }
"""

RUST = """//! Crate docs.
use std::collections::{HashMap, hash_map as hm};

/// A cache.
#[derive(Debug, Clone)]
pub struct Cache<T> {
    pub items: HashMap<String, T>,
    size: usize,
}

pub enum Event { Start, Stop(u32), Move { x: i32 } }

pub trait Store {
    type Key;
    fn get(&self, key: &str) -> Option<u32>;
    fn has(&self, key: &str) -> bool { self.get(key).is_some() }
}

impl<T> Store for Cache<T> where T: Clone {
    type Key = String;

    /// Gets one.
    #[inline]
    fn get(&self, key: &str) -> Option<u32> {
        lookup::<u32>(key).map(Into::into)
    }
}

macro_rules! square { ($x:expr) => { $x * $x }; }

const LIMIT: usize = 4;
static NAME: &str = "n\\
ame";

mod tests {
    use super::*;
    #[test]
    fn works() { assert_eq!(square!(2), compute(4)); }
}
"""

MARKDOWN = """---
title: Front # not a heading
---

Intro.

# Guide

Text about it.

## Install

```sh
# not a heading
pip install it
```

Setext title
============

- one
- two

## Install

Again.
"""

BY_FILE = {
    "a.py": PYTHON,
    "a.js": JAVASCRIPT,
    "a.ts": TYPESCRIPT,
    "a.tsx": TSX,
    "a.go": GO,
    "A.java": JAVA,
    "a.rs": RUST,
    "a.md": MARKDOWN,
    **snippets_classes.BY_FILE,
    **snippets_scripts.BY_FILE,
    **snippets_config.BY_FILE,
}
