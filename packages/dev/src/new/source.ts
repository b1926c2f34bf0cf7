import { z } from 'zod'
import { PawlError } from '@pawl/base/errors'

export class NewRefused extends PawlError {
  readonly code = 'new_refused'
}

const Node = z.looseObject({ type: z.string(), range: z.tuple([z.number(), z.number()]) })
/** One node of a syntax tree (ESTree), with its position. */
export type Node = z.infer<typeof Node>

/** An edit of a source. */
export interface Insertion {
  at: number
  text: string
}

/** The child node in this field, if any. */
export function nodeIn(node: Node | undefined, field: string): Node | undefined {
  return Node.safeParse(node?.[field]).data
}

/** The child nodes in this list. */
export function nodesIn(node: Node | undefined, field: string): Node[] {
  return z.array(Node).safeParse(node?.[field]).data ?? []
}

/** The node and its descendants. */
export function* walk(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      const child = Node.safeParse(each).data
      if (child !== undefined) yield* walk(child)
    }
  }
}

/** The property of an object literal that has this name. */
export function propertyOf(object: Node | undefined, name: string): Node | undefined {
  return nodesIn(object, 'properties').find((property) => nodeIn(property, 'key')?.name === name)
}

/** Parses TypeScript with the parser that formats it, which is installed with the sources. */
export async function parseSource(text: string, path: string): Promise<Node> {
  const { parsers } = await import('prettier/plugins/typescript')
  // The parser reads no other option.
  const options = { filepath: path } as Parameters<typeof parsers.typescript.parse>[1]
  return Node.parse(await parsers.typescript.parse(text, options))
}

/** Applies the edits. */
export function insertAll(source: string, insertions: readonly Insertion[]): string {
  // Edits at one position keep their order.
  return insertions
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source)
}

export function replaceNode(source: string, { range: [from, to] }: Node, text: string): string {
  return source.slice(0, from) + text + source.slice(to)
}

/** The text, formatted as by `npm run format`. */
export async function formatSource(text: string, path: string): Promise<string> {
  const { format, resolveConfig } = await import('prettier')
  // As the templates are written, where a project has no configuration.
  const style = (await resolveConfig(path)) ?? { semi: false, singleQuote: true, printWidth: 120 }
  return format(text, { ...style, filepath: path })
}
