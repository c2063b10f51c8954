"""The tables by which verification tells a path from a word, and a name from a product.

Data only, in one place, so that a wrong guess is mended by adding a word. Everything here is
compared in lower case unless a comment says otherwise.
"""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# --- paths -----------------------------------------------------------------------------------

# Endings that make a word a file even without a folder or a line number.
EXTENSIONS = _set(
    """
    ada adb adoc ads asm astro bash bat bicep bzl c cc cfg cjs clj cljc cljs cmake cmd conf cpp cr
    cs csproj css csv cts cu cuh cxx d dart dts ejs el elm eex erb erl ex exs f f90 fish fs fsi fsx
    go gleam gql gradle graphql groovy h haml hbs hcl heex hh hpp hrl hs html htm hxx inc ini
    ino ipp ipynb java jinja jinja2 jl js json json5 jsonc jsonl jsonnet jsx kt kts less lean lhs
    lisp lua m m4 mako md mdx mjs mk ml mli mm mod mts mustache nim nix njk nomad pas patch php pl
    plist pm proto ps1 psm1 pug purs py pyi pyx pxd r rake rb rbi rbs rego res rkt rmd robot
    rs rst ru s sass sbt scala scm scss sh sln sol sql styl sum sv svelte svg swift t tcl tex tf
    tfvars thrift toml tpl ts tsx twig txt v vb vhd vhdl vim vue wat wgsl xhtml xml xsd xsl yaml yml
    zig zsh gemspec podspec lock template tmpl service
    """
)
# Endings that are files below a folder (`app/x.log`), and attributes elsewhere (`console.log`).
FOLDER_EXTENSIONS = _set(
    """
    bak bin class config csproj dat data db dll env example exe gif gz ico jar jpeg jpg key lib log
    map orig out pdf pem png properties rc sample snap so sqlite tar text wasm webp woff woff2 zip
    """
)
# `x.lock` alone is as often a mutex: these are the files.
LOCK_FILES = _set(
    "cargo.lock composer.lock flake.lock gemfile.lock mix.lock packages.lock pdm.lock pipfile.lock "
    "podfile.lock poetry.lock pubspec.lock uv.lock yarn.lock"
)
# What a web server hands out: with a leading "/" these are addresses, not files.
SERVED = _set("css csv gif htm html ico jpg js json map php png svg txt xml yaml yml")
# Files without an ending, and dotfiles: a claim when written as code, or when they exist.
BARE_FILES = _set(
    """
    authors brewfile build.bazel caddyfile changelog codeowners containerfile contributing copying
    dockerfile earthfile gemfile gnumakefile guardfile jenkinsfile justfile kconfig license makefile
    notice podfile procfile rakefile readme snakefile tiltfile vagrantfile workspace.bazel
    .babelrc .bashrc .bazelrc .clang-format .coveragerc .dockerignore .editorconfig .env
    .eslintignore .eslintrc .gitattributes .gitignore .gitmodules .mailmap .npmignore .npmrc
    .nvmrc .prettierignore .prettierrc .pylintrc .python-version .rspec .ruby-version
    .stylelintrc .tool-versions .yarnrc
    """
)
# Products and runtimes that are spelled like files.
PRODUCTS = _set(
    """
    alpine.js angular.js asp.net babylon.js backbone.js bun.js chart.js d3.js deno.js discord.js
    draft.js ember.js express.js fabric.js gatsby.js ionic.js jquery.js knockout.js koa.js
    leaflet.js moment.js nest.js next.js node.js nuxt.js p5.js pdf.js polymer.js preact.js
    react.js require.js solid.js stencil.js three.js underscore.js video.js vue.js web3.js
    """
)
# What stands before a dot in an attribute: `response.json`, `self.go`.
OBJECTS = _set(
    """
    arg args body client cls cmd conn console context ctx data db df doc document e elem element
    err event exports file i instance item it j k key kwargs m math module msg my n node obj
    object options opts out output params parent payload process props r req request requests res
    resp response result results row rv s self session settings source state str string super target
    that this user v val value window x y z
    """
)
# A first path segment that makes a media type: text/html, application/vnd.api+json.
MEDIA_TYPES = _set("application audio example font image message model multipart text video")
# The last label of a host name, where it is not also the ending of source files.
DOMAINS = _set(
    """
    ai app biz ch cloud cluster co com de dev edu eu example fr gov info int internal invalid io
    lan local localdomain localhost me mil net org page rs site svc test tech uk us xyz
    """
)
HTTP_VERBS = _set("get post put patch delete head options trace connect")
# Folders of the machine that the code runs on.
SYSTEM_FOLDERS = tuple(
    f"/{folder}/"
    for folder in sorted(_set("bin dev etc home lib opt proc root run srv sys tmp usr var"))
)
# Made-up folders of explanations.
PLACEHOLDERS = ("path/to/", "your/", "some/path/", "example/path/")

# --- names -----------------------------------------------------------------------------------

# Spelled like identifiers, and names of things outside every repository. In their own case.
PROPER_NAMES = _set(
    """
    AppEngine AppVeyor BigQuery BitBucket Bitbucket BlueJeans CentOS CircleCI ClickHouse
    CloudFlare CloudFront CloudWatch CockroachDB CodeQL CoffeeScript CouchDB DataDog DevOps
    DevTools DigitalOcean DockerHub DynamoDB eBay eBPF ElasticSearch FastAPI FreeBSD GitHub GitLab
    GraphQL gRPC HashiCorp iCloud InfluxDB IntelliJ iOS iPad iPhone iPython JavaScript JetBrains
    JMeter jQuery JUnit JupyterLab JupyterNotebook KeyCloak LangChain LaTeX LibreOffice LinkedIn
    MacBook macOS MariaDB MathJax MediaWiki MemCached MongoDB mTLS MySQL NetBSD NodeJS NoSQL NumPy
    OAuth OAuth2 OpenAI OpenAPI OpenBSD OpenID OpenSSH OpenSSL OpenStack OpenTelemetry PayPal
    PostgreSQL PowerPC PowerPoint PowerShell PubSub PyCharm PyPI PyPy PyTorch RabbitMQ ReactJS
    ReadTheDocs RocksDB RubyGems RubyMine SciPy SharePoint SonarQube SQLite StackOverflow StatsD
    SwiftUI TensorFlow TestFlight tvOS TypeScript VirtualBox VSCode VueJS watchOS WebAssembly
    WebDAV WebKit WebRTC WebSocket WebSockets WhatsApp WordPress XCode YouTube ZooKeeper
    """
)
# Literals, keywords, types and commands that people put in backticks. A name in a repository may
# be spelled so too, but writing it down says nothing that could be wrong.
PLAIN_WORDS = _set(
    """
    abstract and any array as assert async await bash bool boolean break byte bytes case cat catch
    cargo cd char chmod class clew cli const continue cp curl def default defer del delete dict do
    docker double echo elif else enum error except export extends extern false final finally float
    float32 float64 fn for foreach from fun func function gem get git global go goto grep head if
    impl implements import in include inf int int16 int32 int64 int8 integer interface is isset
    java json lambda len let list long loop ls main make map match mkdir mod module mut mv mvn nan
    namespace new next nil node none nonlocal not npm npx null number object operator options or
    package pass patch pip pnpm post print private protected pub public put python raise range
    readonly record ref require return rm ruby rust self set short sizeof static str string struct
    sudo super switch sync tail template test text then this throw throws tmp todo trait true try
    tuple type typedef typename typeof uint uint16 uint32 uint64 uint8 undefined union unless
    unsafe unsigned until use using utf utf8 uuid val var vec virtual void volatile wget when
    where while with xml yaml yarn yield
    """
)

# --- sentences -------------------------------------------------------------------------------

# A full stop after these ends no sentence.
ABBREVIATIONS = _set(
    """
    al approx art ca cf ch chap co corp dept dr e.g eg eq esp est etc ex fig figs i.e ie inc incl
    jr lit ltd max min misc mr mrs ms no nos nr op p pp prof ref refs resp sec sect sr st subst
    tab univ v ver viz vol vs
    """
)

# What a sentence about code does. Whole words, any case.
CODE_VERBS = re.compile(
    r"\b(?:calls?|invokes?|returns?|raises?|throws?|imports?|inherits?|extends|implements?"
    r"|overrides?|defines?|defined|declares?|declared|instantiates?|decorates?|serialis?z?es?"
    r"|parses|validates?|retries|catches|dispatches|delegates|subscribes|emits|yields|awaits"
    r"|initiali[sz]es|configures|registers|allocates|mutates|caches|queries)\b",
    re.IGNORECASE,
)

# Clew's own tools, which an answer may name when it says how it searched.
TOOLS = _set("find_symbol grep list_files read_file search_code")

# What says that the thing named right after it, or right before it, is NOT there, or was only
# looked for: such a name need not exist. Read on at most ABSENCE_REACH characters on its side.
ABSENCE_REACH = 60
_THING = (
    r"(?:call|caller|class|code|constant|definition|file|folder|function|hit|line|match|matche"
    r"|mention|method|module|name|path|reference|result|symbol|text|thing|usage|use|variable)s?"
)
_LINKED = (
    r"(?:(?:named|called|matching|matches|match|mentions|mentioning|contains|containing|uses"
    r"|using|for|of|to|about|like|in|under|is|are)\s+){0,2}(?:the\s+|an?\s+)?"
)
ABSENT_AFTER = re.compile(
    rf"\b(?:no\s+(?:such\s+|other\s+)?(?:{_THING}\s+)?"
    rf"|nothing\s+(?:{_THING}\s+)?(?:is\s+|was\s+)?"
    r"|(?:not|never|n[’']t|cannot)\s+(?:be\s+)?(?:find|found|see|mention|define|contain|have)\s+"
    r"(?:any\s+)?"
    r"|(?:search|searched|searches|searching|grep|grepped|look|looked|looking|query|queried"
    r"|search_code|find_symbol|list_files|read_file|nearest|near)\s*:?\s+(?:(?:was|for|to)\s+)?)"
    rf"(?:{_THING}\s+)?{_LINKED}[`\"'“‘(\[*]*$",
    re.IGNORECASE,
)
ABSENT_BEFORE = re.compile(
    r"^[`\"'”’)\]*]*\s+(?:(?:do|does|did)(?:\s+not|n[’']t)\s+(?:exist|appear|occur)"
    r"|(?:(?:was|were|is|are|could|can|has|have)(?:\s+not|n[’']t|\s+never|\s+nowhere)|cannot)\s+"
    r"(?:be(?:en)?\s+)?(?:found|defined|present|there|mentioned|indexed|part|in\b)"
    r"|(?:is|are|was|were)\s+(?:missing|absent))",
    re.IGNORECASE,
)
