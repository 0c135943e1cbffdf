// A TypeScript file as the tools look at it: what it imports, what it exports, and its code without words.
import { posix } from 'node:path'
import { type ParseResult, parseSync, Visitor } from 'oxc-parser'

/** One mention of another module. */
export interface ModuleImport {
  /** The specifier as written, such as `./limits.ts`, `node:crypto` or `zod`. */
  readonly specifier: string
  /** `type` leaves no trace in the running code; `dynamic` loads only when it is reached, `require` included. */
  readonly kind: 'value' | 'type' | 'dynamic'
}

/** One name that the file exports. */
export interface ModuleExport {
  /** `default` for a default export, `*` for a starred one. */
  readonly name: string
  readonly kind: 'value' | 'type'
  /** Where a re-exported name comes from and what it is called there; null for a name declared here. */
  readonly from: { readonly specifier: string; readonly name: string } | null
  /** Whether a doc comment stands right above the declaration. */
  readonly isDocumented: boolean
}

/** A file, taken apart once. */
export interface ParsedFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text with comments and the contents of strings blanked out, so that a word in it is a word of the code. */
  readonly code: string
  readonly imports: readonly ModuleImport[]
  readonly exports: readonly ModuleExport[]
  readonly syntax: ParseResult
}

/** Takes a file apart. Throws `SyntaxError` when it is no TypeScript. */
export function parseFile(path: string, text: string): ParsedFile {
  const syntax = parseSync(path, text)
  const problem = syntax.errors[0]
  if (problem !== undefined) throw new SyntaxError(`${path}: ${problem.message}`)
  return {
    path,
    text,
    code: blankWords(text, syntax),
    imports: importsOf(syntax),
    exports: exportsOf(text, syntax),
    syntax,
  }
}

/** The file that a relative specifier means, from the root of the repository. */
export function importedPath(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier))
}

function importsOf(syntax: ParseResult): ModuleImport[] {
  const imports: ModuleImport[] = []
  new Visitor({
    ImportDeclaration(node) {
      const named = node.specifiers
      const onlyTypes =
        named.length > 0 && named.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type')
      const isType = node.importKind === 'type' || onlyTypes
      imports.push({ specifier: node.source.value, kind: isType ? 'type' : 'value' })
    },
    ExportNamedDeclaration(node) {
      if (node.source === null) return
      const onlyTypes = node.specifiers.length > 0 && node.specifiers.every((one) => one.exportKind === 'type')
      const isType = node.exportKind === 'type' || onlyTypes
      imports.push({ specifier: node.source.value, kind: isType ? 'type' : 'value' })
    },
    ExportAllDeclaration(node) {
      imports.push({ specifier: node.source.value, kind: node.exportKind === 'type' ? 'type' : 'value' })
    },
    ImportExpression(node) {
      const specifier = node.source.type === 'Literal' ? String(node.source.value) : '(computed)'
      imports.push({ specifier, kind: 'dynamic' })
    },
    CallExpression({ callee, arguments: [argument] }) {
      const isRequire =
        (callee.type === 'Identifier' && callee.name === 'require') ||
        (callee.type === 'CallExpression' &&
          callee.callee.type === 'Identifier' &&
          callee.callee.name === 'createRequire')
      if (!isRequire) return
      const specifier = argument?.type === 'Literal' ? String(argument.value) : '(computed)'
      imports.push({ specifier, kind: 'dynamic' })
    },
    TSImportType(node) {
      imports.push({ specifier: node.source.value, kind: 'type' })
    },
  }).visit(syntax.program)
  return imports
}

function exportsOf(text: string, syntax: ParseResult): ModuleExport[] {
  const docEnds = syntax.comments
    .filter((comment) => comment.type === 'Block' && comment.value.startsWith('*'))
    .map((comment) => comment.end)
  return syntax.module.staticExports.flatMap((statement) => {
    const isDocumented = docEnds.some((end) => end <= statement.start && text.slice(end, statement.start).trim() === '')
    return statement.entries.map((entry): ModuleExport => {
      const source = entry.moduleRequest
      return {
        name: entry.exportName.name ?? (source === null ? 'default' : '*'),
        kind: entry.isType ? 'type' : 'value',
        from: source === null ? null : { specifier: source.value, name: entry.importName.name ?? '*' },
        isDocumented,
      }
    })
  })
}

function blankWords(text: string, syntax: ParseResult): string {
  const spans = syntax.comments.map(({ start, end }) => ({ start, end }))
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') spans.push({ start: node.start + 1, end: node.end - 1 })
    },
    TemplateElement(node) {
      const length = node.tail ? 1 : 2
      spans.push({ start: node.start + 1, end: node.end - length })
    },
  }).visit(syntax.program)
  let code = text
  for (const { start, end } of spans) {
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end)
  }
  return code
}
