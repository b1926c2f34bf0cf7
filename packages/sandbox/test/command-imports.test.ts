import { expect, it } from 'vitest'
import { loadedBy } from '../../../test/support/loaded-by.ts'

it.each(['main.ts', 'commands/run-subcommand.ts'])(
  '%s answers quickly: a command that talks to a running sandbox loads neither it nor its documents',
  async (name) => {
    const loaded = [...(await loadedBy(`packages/sandbox/src/${name}`))]
    expect(loaded.length).toBeGreaterThan(1)
    const own = loaded.filter((file) => file.startsWith('packages/sandbox/src/'))
    expect(own.filter((file) => /\/sandbox\.ts$|documents\/|(read|run)-scenario/.test(file))).toEqual([])
  },
)
