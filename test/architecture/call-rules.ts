// Rules about calls: there is one caller of executors and one of guarded operations, and no SQL is put together from variables.
import { Visitor } from 'oxc-parser'
import type { ParsedFile } from '../../tools/parsed-file.ts'
import { type Rule, roomOf } from './rule.ts'

type Syntax = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]['MemberExpression']>>[0]['object']

/** The one file that may reach for the executor of an action. */
export const executorCaller = 'src/runtime/execute/call-executor.ts'

/** Receivers whose `execute` is the library's own: the operation of that name, of a runtime or of a client that asks one. */
const ownExecute = /^(?:this|runtime|#runtime|client)$/

/** The last name of an expression such as `context.action` or `this.#runtime`; empty where it has none. */
function lastName(node: Syntax): string {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'ThisExpression') return 'this'
  if (node.type === 'MemberExpression' && !node.computed) {
    return node.property.type === 'PrivateIdentifier' ? `#${node.property.name}` : node.property.name
  }
  return ''
}

/** Where the file takes hold of something called `execute` that may be the executor of an action. */
export function executorMentions(file: ParsedFile): string[] {
  const found: string[] = []
  const isStore = roomOf(file.path) === 'store'
  new Visitor({
    MemberExpression(node) {
      const literal = node.computed && node.property.type === 'Literal' ? node.property.value : null
      const named = !node.computed && node.property.type === 'Identifier' ? node.property.name : null
      if (literal !== 'execute' && named !== 'execute') return
      const receiver = lastName(node.object)
      // The store's queries are run by `execute` too; there only a receiver that is named like an action counts.
      const isOwn = isStore ? !/action|definition|host|executor|adapter/i.test(receiver) : ownExecute.test(receiver)
      if (!isOwn) found.push(`${receiver}.execute`)
    },
    ObjectPattern(node) {
      for (const property of node.properties) {
        if (property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'execute') {
          found.push('{ execute } taken out of an object')
        }
      }
    },
  }).visit(file.syntax.program)
  return found
}

/** The one file that may call a guarded operation. */
export const operationCaller = 'src/runtime/calls/call-operation.ts'

/** Where the file calls something that is named like a guarded operation, by whatever detour. */
export function operationCalls(file: ParsedFile): string[] {
  const found: string[] = []
  new Visitor({
    CallExpression({ callee }) {
      if (lastName(callee) === 'operation') found.push('a call of an operation')
      if (callee.type !== 'MemberExpression' || lastName(callee.object) !== 'operation') return
      found.push(`operation.${lastName(callee)}`)
    },
  }).visit(file.syntax.program)
  return found
}

/** Which tags of Kysely put their argument into the statement as it is, escaped or not. */
const verbatim = new Set(['raw', 'lit', 'ref', 'table', 'id'])

/** Statements of a schema take no parameters: their names and words come from tables of this code, and are escaped. */
const schemaFolder = 'src/store/migrations/'

function sqlFindings(file: ParsedFile): string[] {
  if (roomOf(file.path) === null) return []
  const found: string[] = []
  new Visitor({
    CallExpression(node) {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed || lastName(callee.object) !== 'sql') return
      const tag = callee.property.name
      if (!verbatim.has(tag) || (tag !== 'raw' && file.path.startsWith(schemaFolder))) return
      const isConstant = node.arguments.every(
        (argument) =>
          argument.type === 'Literal' || (argument.type === 'TemplateLiteral' && argument.expressions.length === 0),
      )
      if (!isConstant) found.push(`sql.${tag} with a variable argument`)
    },
  }).visit(file.syntax.program)
  return found
}

const oneExecutorCaller: Rule = {
  title: 'one file reaches for the executor of an action',
  findings(file) {
    const room = roomOf(file.path)
    return room === null || room === 'testing' || file.path === executorCaller ? [] : executorMentions(file)
  },
  examples: {
    broken: [
      { path: 'src/runtime/a.ts', text: 'await action.execute(context)' },
      { path: 'src/runtime/a.ts', text: 'await registered.action.execute(context)' },
      { path: 'src/runtime/a.ts', text: 'const call = action.execute.bind(action)' },
      { path: 'src/runtime/a.ts', text: 'const { execute } = action' },
      { path: 'src/runtime/a.ts', text: 'const { execute: run } = action' },
      { path: 'src/runtime/a.ts', text: "await action['execute'](context)" },
      { path: 'src/runtime/a.ts', text: 'await host?.execute(context)' },
      { path: 'src/http/a.ts', text: 'await definition.execute(context)' },
      { path: 'src/store/a.ts', text: 'await row.action.execute(context)' },
    ],
    kept: [
      { path: executorCaller, text: 'await action.execute(context)' },
      { path: 'src/http/a.ts', text: 'await runtime.execute(reference)' },
      { path: 'src/cli/a.ts', text: 'await client.execute(reference)' },
      { path: 'src/store/a.ts', text: "await database.selectFrom('proposals').selectAll().execute()" },
      { path: 'src/testing/a.ts', text: 'await action.execute(context)' },
      { path: 'src/runtime/a.ts', text: 'class Runtime { async execute(): Promise<void> {} }' },
    ],
  },
}

const oneOperationCaller: Rule = {
  title: 'one file calls a guarded operation',
  findings(file) {
    // The operations of a store are sequences of statements, run by its engines.
    const room = roomOf(file.path)
    const isExempt = room === null || room === 'testing' || room === 'store' || file.path === operationCaller
    return isExempt ? [] : operationCalls(file)
  },
  examples: {
    broken: [
      { path: 'src/runtime/a.ts', text: 'await operation(call)' },
      { path: 'src/runtime/calls/a.ts', text: 'await execution.operation(call)' },
      { path: 'src/runtime/a.ts', text: 'const again = operation.bind(null, call)' },
      { path: 'src/runtime/a.ts', text: 'await operation.call(null, call)' },
    ],
    kept: [
      { path: operationCaller, text: 'await operation(call)' },
      { path: 'src/runtime/a.ts', text: 'await callOperation(core, { operation })' },
      { path: 'src/store/a.ts', text: 'this.#transact(() => operation())' },
    ],
  },
}

const noSqlFromVariables: Rule = {
  title: 'no SQL is put together from variables',
  findings: sqlFindings,
  examples: {
    broken: [
      { path: 'src/store/a.ts', text: 'const statement = sql.raw(text)' },
      { path: 'src/store/a.ts', text: 'const statement = sql`select ${sql.ref(column)}`' },
      { path: 'src/store/a.ts', text: 'const statement = sql`select ${sql.lit(tenant)}`' },
      { path: 'src/store/a.ts', text: 'const statement = sql.raw(`select ${column}`)' },
      { path: 'src/store/a.ts', text: 'const statement = sql.table(name)' },
      { path: 'src/store/migrations/a.ts', text: 'const statement = sql.raw(text)' },
    ],
    kept: [
      { path: 'src/store/a.ts', text: "const statement = sql.raw('select 1')" },
      { path: 'src/store/a.ts', text: 'const statement = sql.raw(`select 1`)' },
      { path: 'src/store/a.ts', text: 'const statement = sql`select ${tenant}`' },
      { path: 'src/store/a.ts', text: "const statement = sql`select ${sql.ref('tenant')}`" },
      { path: 'src/store/migrations/a.ts', text: 'const statement = sql`check (status = ${sql.lit(status)})`' },
    ],
  },
}

/** The rules of this file. */
export const callRules: readonly Rule[] = [oneExecutorCaller, oneOperationCaller, noSqlFromVariables]
