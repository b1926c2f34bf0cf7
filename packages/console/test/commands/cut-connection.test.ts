import { expect, it } from 'vitest'
import { startFarSide } from '../../../testing/src/far-side.ts'
import { runPawl } from '../../../../test/support/run-script.ts'

it.each([
  ['looks', ['parked']],
  ['changes something', ['retry', '--all']],
])('a command that %s says that no pawl answers, if its connection is closed at once', async (_, command) => {
  const closing = await startFarSide(() => 'cut')
  const { code, err: said } = await runPawl(command, { ADMIN_PORT: new URL(closing.url).port })
  await closing.close()
  expect(said).toContain(`No pawl answers at ${closing.url}: `)
  expect(code).toBe(1)
})
