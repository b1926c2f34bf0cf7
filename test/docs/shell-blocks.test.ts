import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv, promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { schemas } from '../../scripts/render-settings.ts'
import { isSettings, notTyped, pages, shellBlocks, typedElsewhere, whyNot } from './shell-blocks.ts'
import { readPage } from './readme-examples.ts'
import { readWalk } from './walked-page.ts'

const all = pages.flatMap((page) => shellBlocks(page).map((block) => ({ page, block })))
const execute = promisify(execFile)

describe('a block of shell', () => {
  it.each(all)('of $page is one that bash reads: $block', async ({ block }) => {
    await execute('bash', ['-n', '-c', block])
  })

  it('that is not typed is on a page, with a reason, and names tests and scripts that there are', () => {
    const tests = [...Object.values(typedElsewhere), ...Object.values(notTyped).flatMap((each) => Object.values(each))]
    for (const reason of tests)
      for (const [path] of reason.matchAll(/\b(packages|test|docs)\/\S+\.(test\.ts|md)\b/g))
        expect(existsSync(path), path).toBe(true)
    for (const [page, starts] of Object.entries(notTyped))
      for (const start of Object.keys(starts))
        expect(
          shellBlocks(page).filter((block) => block.startsWith(start)),
          `${page}: ${start}`,
        ).not.toEqual([])
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')))
    const compose = readFileSync('compose.yaml', 'utf8')
    for (const { page, block } of all.filter(({ page, block }) => whyNot(page, block) !== undefined)) {
      for (const [, script = ''] of block.matchAll(/\bnpm (?:run )?(demo|dev|build|start|test|fuzz|conformance)\b/g))
        expect(Object.keys(scripts), page).toContain(script)
      for (const [, script = ''] of block.matchAll(/\bdist\/((?:src|packages)\/[\w/-]+)\.js\b/g))
        expect(existsSync(`${script}.ts`), block).toBe(true)
      for (const [, name = ''] of block.matchAll(/--profile (\w+)|exec (\w+)/g)) expect(compose).toContain(name)
    }
  })

  it.each(Object.entries(typedElsewhere))('of %s is typed by a test that reads the page', async (page, tests) => {
    for (const path of tests.split(' ')) expect((await readPage(path)).includes(page), path).toBe(true)
  })
})

it('every section of the runbook that has commands is played', async () => {
  const walks = await readPage('test/docs/runbook-walks.test.ts')
  const sections = readWalk(await readPage('docs/runbook.md')).filter(({ blocks }) =>
    blocks.some(({ kind }) => kind === 'sh'),
  )
  expect(sections.length).toBeGreaterThan(5)
  expect(sections.map(({ title }) => title).filter((title) => !walks.includes(title))).toEqual([])
})

describe('a setting of a page', () => {
  const blocks = all.filter(({ block }) => isSettings(block))

  it('is found on pages', () => {
    expect(new Set(blocks.map(({ page }) => page)).size).toBeGreaterThan(4)
  })

  it.each(blocks)('$page: $block is the same in a shell and in a file of settings, and exists', async ({ block }) => {
    const inFile = parseEnv(block)
    const print = `for name in ${Object.keys(inFile).join(' ')}; do printf '%s=%s\\0' "$name" "\${!name}"; done`
    const { stdout } = await execute('bash', ['-ec', `${block}\n${print}`], { env: {} })
    const inShell = Object.fromEntries(
      stdout
        .split('\0')
        .slice(0, -1)
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    expect(inShell).toEqual({ ...inFile })
    for (const value of Object.values(inShell))
      if (/^[[{]/.test(value)) expect(() => JSON.parse(value) as unknown).not.toThrow()
    const isOfAFork = block.startsWith('# src/integration/.env.example') || block.includes('NOTICE_URL=')
    if (!isOfAFork) expect(Object.keys(inFile).filter((name) => !(name in schemas))).toEqual([])
  })
})
