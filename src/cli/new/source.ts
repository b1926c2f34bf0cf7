import { z } from 'zod'
import { PawlError } from '../../base/errors.ts'

/** New files cannot be written here, or not under this name. */
export class NewRefused extends PawlError {
  readonly code = 'new_refused'
}

const Node = z.looseObject({ type: z.string(), range: z.tuple([z.number(), z.number()]) })
/** One node of a syntax tree (ESTree), with its place in the text. */
export type Node = z.infer<typeof Node>

/** A text to be put at a place of a source. */
export interface Insertion {
  at: number
  text: string
}

/** The node that is in a field of another, if there is one. */
export function nodeIn(node: Node | undefined, field: string): Node | undefined {
  return Node.safeParse(node?.[field]).data
}

/** The nodes in a list of another. */
export function nodesIn(node: Node | undefined, field: string): Node[] {
  return z.array(Node).safeParse(node?.[field]).data ?? []
}

/** A node, and all below it. */
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
  // It reads no other option.
  const options = { filepath: path } as Parameters<typeof parsers.typescript.parse>[1]
  return Node.parse(await parsers.typescript.parse(text, options))
}

/** Puts each text at its place. */
export function insertAll(source: string, insertions: readonly Insertion[]): string {
  // Of two at one place, the first comes first.
  return insertions
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source)
}

/** Replaces the text of a node. */
export function replaceNode(source: string, { range: [from, to] }: Node, text: string): string {
  return source.slice(0, from) + text + source.slice(to)
}

/** The text as `npm run format` leaves it. */
export async function formatSource(text: string, path: string): Promise<string> {
  const { format, resolveConfig } = await import('prettier')
  return format(text, { ...(await resolveConfig(path)), filepath: path })
}
