import { expect, it } from 'vitest'
import { freePort } from '../support/spawn-pawl.ts'
import { startLocalGateway, testEnvironment } from '../support/start-local-gateway.ts'
import { runScript } from '../support/run-script.ts'

async function healthcheck(env: Record<string, string>): Promise<unknown> {
  const settings = await testEnvironment({ ...env, DATABASE_URL: 'file:unused' })
  return (await runScript('src/cli/healthcheck.ts', [], settings)).code
}

it('is content with a receiver and with a worker that answer, behind a password too, and with nothing else', async () => {
  const password = 'twelve-characters'
  const gateway = await startLocalGateway({}, { ADMIN_PASSWORD: password })
  const PORT = new URL(gateway.url).port
  const ADMIN_PORT = new URL(gateway.adminUrl).port
  const nobody = String(await freePort())
  expect(
    await Promise.all([
      healthcheck({ ROLE: 'receiver', PORT, ADMIN_PORT: nobody }),
      healthcheck({ ROLE: 'all', PORT, HOST: '0.0.0.0', ADMIN_PORT: nobody }),
      healthcheck({ ROLE: 'worker', PORT: nobody, ADMIN_PORT }),
      healthcheck({ ROLE: 'receiver', PORT: nobody, ADMIN_PORT }),
    ]),
  ).toEqual([0, 0, 0, 1])
  await gateway.destroy()
})
