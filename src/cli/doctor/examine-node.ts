import { createRequire } from 'node:module'
import { z } from 'zod'
import { fail, type Finding, ok } from './finding.ts'

const area = 'node'
const Package = z.object({ engines: z.object({ node: z.string().regex(/^>=\d+\.\d+$/) }) })

/** Checks a version of Node, such as `20.19.1`. */
export function examineNode(version: string): Finding {
  const { engines } = Package.parse(createRequire(import.meta.url)('#package.json'))
  const needed = engines.node.slice('>='.length)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  const fits = major > neededMajor || (major === neededMajor && minor >= neededMinor)
  return fits
    ? ok(area, `Node ${version} is supported.`)
    : fail(area, `Node ${version} is too old.`, `Install Node ${needed} or later.`)
}
