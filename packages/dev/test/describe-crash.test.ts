import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeCrash, isCrash } from '../src/dev/describe-crash.ts'

let root: string
beforeEach(async () => {
  root = `${await mkdtemp(join(tmpdir(), 'pawl-crash-'))}/`
  await mkdir(join(root, 'src'))
})
afterEach(() => rm(root, { recursive: true }))

/** Output of Node 20 and tsx for a source that cannot be loaded, or throws. */
function crash(report: string) {
  return describeCrash(report.replaceAll('ROOT/', root).split('\n'), root)
}

const uncaught = `node:internal/modules/run_main:123
    triggerUncaughtException(
    ^`

it('a crash report of a syntax error shows place and source line', async () => {
  await writeFile(join(root, 'src/a.ts'), 'export const a = 1\n\n  const = 1\n')
  const told = crash(`${uncaught}
Error [TransformError]: Transform failed with 1 error:
ROOT/src/a.ts:3:8: ERROR: Expected identifier but found "="
    at failureErrorWithLog (ROOT/node_modules/esbuild/lib/main.js:1752:15)

Node.js v20.20.2`)
  expect(told).toEqual({ text: 'src/a.ts:3:8  Expected identifier but found "="\n    const = 1\n', isLoaded: false })
})

it('a crash report shows each of several errors, and only the place if the source is gone', () => {
  const { text } = crash(`${uncaught}
Error [TransformError]: Transform failed with 2 errors:
ROOT/src/gone.ts:3:8: ERROR: One
ROOT/src/gone.ts:4:1: ERROR: Another
    at failureErrorWithLog (ROOT/node_modules/esbuild/lib/main.js:1752:15)`)
  expect(text).toBe('src/gone.ts:3:8  One\nsrc/gone.ts:4:1  Another\n')
})

it('a crash report names the import without a file', async () => {
  await writeFile(join(root, 'src/a.ts'), `// A comment.\nimport { z } from '../src/nope.ts'\n`)
  const told = crash(`${uncaught}
Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'ROOT/src/nope.ts' imported from ROOT/src/a.ts
    at finalizeResolution (node:internal/modules/esm/resolve:283:11) {
  code: 'ERR_MODULE_NOT_FOUND',
  url: 'file://ROOT/src/nope.ts'
}`)
  const text = `src/a.ts:2  Cannot find module 'src/nope.ts'\n    import { z } from '../src/nope.ts'\n`
  expect(told).toEqual({ text, isLoaded: false })
})

it('a crash report names the missing export', () => {
  const told = crash(`ROOT/src/a.ts:3
  z,
  ^

SyntaxError: The requested module './c.ts' does not provide an export named 'z'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)

Node.js v20.20.2`)
  const message = `SyntaxError: The requested module './c.ts' does not provide an export named 'z'`
  expect(told).toEqual({ text: `src/a.ts:3  ${message}\n    z,\n`, isLoaded: false })
})

it("a crash report shows a thrown error with only the project's frames", () => {
  const told = crash(`ROOT/src/a.ts:6
  return f.name
           ^


TypeError: Cannot read properties of undefined (reading 'name')
    at g (ROOT/src/a.ts:6:12)
    at <anonymous> (file://ROOT/src/a.ts:8:1)
    at late (ROOT/node_modules/a-package/index.js:1:1)
    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)

Node.js v20.20.2`)
  const text = `src/a.ts:6  TypeError: Cannot read properties of undefined (reading 'name')
    return f.name
    at g (src/a.ts:6:12)
    at <anonymous> (src/a.ts:8:1)
`
  expect(told).toEqual({ text, isLoaded: true })
})

it('a crash report without a place stays unchanged', () => {
  const report = `${uncaught}\n[UnhandledPromiseRejection: "x"]\n\nNode.js v20.20.2`
  expect(crash(report)).toEqual({ text: `${report}\n`, isLoaded: true })
})

it.each([
  ['node:internal/modules/run_main:123', true],
  ['/checkout/pawl/src/a.ts:3', true],
  ['file:///checkout/pawl/src/a.ts:3', true],
  ['C:\\pawl\\src\\a.ts:3', true],
  ['PORT: must be a number', false],
  ['(node:12) ExperimentalWarning: x', false],
  ['listening on http://127.0.0.1:3000', false],
])('%j begins a report: %s', (line, begins) => {
  expect(isCrash(line)).toBe(begins)
})
