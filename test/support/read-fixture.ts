import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** What differs from another file, at paths such as `drugs.0.name`. */
const Likeness = z.strictObject({
  like: z.string(),
  with: z.record(z.string(), z.unknown()).default({}),
  without: z.array(z.string()).default([]),
})

/** The JSON of a file. An object with `like` stands for the content of that file, by its path from this one, `with` other values at some paths and `without` those at others. */
export function readJsonFixture(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'), (_key, value: unknown) => {
    const { data: likeness } = Likeness.safeParse(value)
    if (likeness === undefined) return value
    const content = readJsonFixture(join(dirname(path), likeness.like))
    for (const [at, other] of Object.entries(likeness.with)) holderOf(content, at)[lastOf(at)] = other
    for (const at of likeness.without) {
      if (!(lastOf(at) in holderOf(content, at))) throw new Error(`${path}: ${likeness.like} has no ${at}.`)
      delete holderOf(content, at)[lastOf(at)]
    }
    return content
  })
}

const lastOf = (at: string): string => at.split('.').at(-1) ?? ''

/** The object or list that holds the value at a path. */
function holderOf(content: unknown, at: string): Record<string, unknown> {
  const path = at.split('.').slice(0, -1)
  // A path that leads through anything but objects and lists fails in the test that reads it.
  return path.reduce((holder, key) => holder[key] as Record<string, unknown>, content as Record<string, unknown>)
}
