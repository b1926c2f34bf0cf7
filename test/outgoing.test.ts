import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages, and modules of Node, that connect to an address. */
const clients =
  /(?:from |import\()'(undici|axios|nodemailer|openid-client|ioredis|bullmq|pg|mysql2[^']*|ssh2[^']*|@opentelemetry\/exporter-[^']*)'/
/** A socket of one's own, by one of Node's modules that open one. */
const sockets = /^import \{[^}]*\bconnect\b[^}]*\} from 'node:(net|tls)'/m
const calls =
  /\bfetch(?:Bounded)?\(|\bfrom 'node:https?'.*\n(.*\n)*.*\b(get|request)[A-Za-z]*\(\s*url|\bnew WebSocket\(/

/** Whether a source, without its comments and the imports that only bring types, connects to an address. */
function isSender(source: string): boolean {
  const code = source
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/(?<=^|\s)\/\/.*$/gm, '')
    .replaceAll(/^import type [^]*?from '[^']*'$/gm, '')
  return clients.test(code) || sockets.test(code) || calls.test(code)
}

it('docs/security.md names every file of src and packages that sends requests, with who says where to', () => {
  const senders = ['src', 'packages']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => /^(src|packages\/[^/]+\/src)\//.test(path) && isSender(readFileSync(join(root, path), 'utf8')))
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const section = /^## Outgoing requests\n([^]*?)^## /m.exec(page)?.[1] ?? ''
  const files = section.split('\n').map((line) => line.split('|')[1] ?? '')
  const named = files.flatMap((cell) => [...cell.matchAll(/`((?:src|packages)\/[^`]*)`/g)].map(([, path = '']) => path))
  expect(named.toSorted()).toEqual(senders.toSorted())
})

it.each([
  ['const answer = await fetch(url)', true],
  ['await deps.fetch(url, init)', true],
  ['await fetchBounded(url, init, 100)', true],
  [`import { connect as connectTls } from 'node:tls'`, true],
  [`import { type AddressInfo, createServer } from 'node:net'`, false],
  [`import { request } from 'undici'`, true],
  [`const { createConnection } = await import('mysql2/promise')`, true],
  [`import { get } from 'node:https'\nget(url, done)`, true],
  [`import type { Pool } from 'pg'`, false],
  ['// as fetch(url) would', false],
  ['const prefetch = () => refetch.later', false],
])('%j is found: %s', (source, isFound) => {
  expect(isSender(source)).toBe(isFound)
})
