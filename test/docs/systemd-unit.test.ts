import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'

const page = readFileSync('docs/deploying.md', 'utf8')
const [unit = '', usersUnit = ''] = [...page.matchAll(/```ini\n(\[Unit\]\n[\s\S]*?)```/g)].map(([, text]) => text)
const analyze = needs('systemd-analyze', { package: 'systemd' })

describe('the systemd unit', () => {
  it.each([
    'LimitCORE=0',
    'UMask=0077',
    'MemoryMax=2G',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'SystemCallFilter=@system-service',
  ])('has %s', (line) => expect(unit.split('\n')).toContain(line))

  it('lets V8 run what it compiles', () => expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m))

  it.skipIf(analyze === undefined)('is judged safe by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-unit-'))
    try {
      const path = join(folder, 'pawl@all.service')
      writeFileSync(path, unit)
      const flags = ['security', '--offline=true', '--threshold=30', '--no-pager', path]
      expect(execFileSync('systemd-analyze', flags, { encoding: 'utf8' })).toContain('Overall exposure level')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

it.skipIf(analyze === undefined)('the unit of a user is one that systemd reads without a complaint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-unit-'))
  try {
    const path = join(folder, 'pawl.service')
    writeFileSync(path, usersUnit.replace('/usr/bin/node', process.execPath))
    const { status, output } = spawnSync(analyze ?? '', ['--user', 'verify', '--man=no', path], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    })
    expect({ status, output: output.join('') }).toEqual({ status: 0, output: '' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
