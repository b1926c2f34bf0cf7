import { readdirSync, readFileSync } from 'node:fs'
import { foreign } from '../../../test/foreign/load.ts'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSftpPharmacy, type SftpPharmacyOptions } from '../src/sftp/sftp-pharmacy.ts'
import { PharmacyWriteFailed } from '../src/pharmacy-write-failed.ts'
import type { Pharmacy } from '../src/pharmacy.ts'
import { TransferNotice } from '../src/transfer-notice.ts'
import type { System } from '../../connector/src/system.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'
import { type SftpServer, sshd, startSftpServer } from '../../../test/support/sftp-server.ts'

let server: SftpServer
let opened: System<Pharmacy>[]
beforeEach(async () => {
  opened = []
  server = await startSftpServer()
})
afterEach(async () => {
  for (const system of opened) await system.close?.()
  await server.close()
})

function pharmacy(different: Partial<SftpPharmacyOptions> = {}): System<Pharmacy> {
  const { port, username, fingerprint, folder, keyFile } = server
  const system = createSftpPharmacy({
    host: '127.0.0.1',
    port,
    username,
    privateKey: readFileSync(keyFile, 'utf8'),
    hostKeys: [fingerprint],
    folder,
    format: 'ndjson',
    batchMs: 0,
    ...different,
  })
  opened.push(system)
  return system
}

/** A PA with a transfer, and what a test wants different in either. */
const transferred = (id = 'pa_req_1', transfer: Record<string, unknown> = {}, prescription?: Record<string, unknown>) =>
  samplePriorAuthorization({
    id,
    status: 'completed',
    prescription_transfer: sampleTransfer(transfer),
    ...(prescription && { prescription }),
  })

const Rows = z.array(z.record(z.string(), z.string()))
const noticesIn = (content: string) =>
  content
    .trimEnd()
    .split('\n')
    .map((line) => TransferNotice.parse(JSON.parse(line)))

const csv = await foreign<{ parse(text: string, options: object): unknown }>('csv-parse/sync')

const failure = (told: Promise<void>) =>
  told.then(
    () => expect.unreachable('it was told'),
    (error: unknown) => {
      if (error instanceof PharmacyWriteFailed) return error
      throw error
    },
  )

const names = async () => (await server.files()).map(({ name }) => name)

describe.skipIf(sshd === undefined)('a pharmacy that is told by SFTP', () => {
  it('finds a file for each notice, whose name has its time, its PA and its number, and nothing of the patient', async () => {
    const run = createTestRun()
    const port = pharmacy().open(run)
    await port.putPrescriptionTransfer(transferred())
    await port.putPrescriptionTransfer(transferred('pa_req_1', { status: 'completed' }))
    const files = await server.files()
    const notices = files.flatMap(({ content }) => noticesIn(content))
    expect(notices.map(({ data }) => data.status)).toEqual(['in_progress', 'completed'])
    const [first = 0, second = 0] = notices.map(({ sequence }) => sequence)
    expect(second).toBeGreaterThan(first)
    const times = notices.map(({ timestamp }) => timestamp.replaceAll(/[-:.]/g, ''))
    expect(files.map(({ name }) => name)).toEqual([
      `${times[0]}-pa_req_1-${first}.ndjson`,
      `${times[1]}-pa_req_1-${second}.ndjson`,
    ])
    const modes = await Promise.all(files.map(async ({ name }) => (await stat(join(server.folder, name))).mode & 0o777))
    expect(modes).toEqual([0o600, 0o600])
    expect(run.receipts.map(({ id }) => id)).toEqual(notices.map(({ id }) => id))
    expect(server.traffic().connections).toBe(1)
  })

  it.skipIf(csv === undefined)(
    'finds what a spreadsheet would run as a formula made harmless in CSV, and all else as it is',
    async () => {
      const system = pharmacy({ format: 'csv' })
      const directions = [
        '=HYPERLINK("http://evil.example")',
        '+1 tablet',
        '-1 tablet',
        '@SUM(A1)',
        ' =1',
        '＝1',
        'One, "two"\nthree',
      ]
      for (const [index, text] of directions.entries()) {
        const id = `pa_req_${index}`
        await system
          .open(createTestRun({ resourceId: id }))
          .putPrescriptionTransfer(transferred(id, {}, { drug_name: 'Exampline', directions: text, quantity: 30 }))
      }
      const rows = (await server.files()).flatMap(({ content }) =>
        Rows.parse(csv?.parse(content, { columns: true, record_delimiter: '\r\n' })),
      )
      const byId = new Map(rows.map((row) => [row['data.prior_authorization_id'], row]))
      expect(directions.map((_, index) => byId.get(`pa_req_${index}`)?.['data.prescription.directions'])).toEqual([
        ...directions.slice(0, 6).map((text) => `'${text}`),
        directions[6],
      ])
      expect(byId.get('pa_req_0')).toMatchObject({
        type: 'prescription_transfer.updated',
        sequence: expect.stringMatching(/^\d+$/),
        'data.confirmed': 'false',
        'data.error_code': '',
        'data.prescription.quantity': '30',
        'data.patient.last_name': 'Sample',
      })
      expect(JSON.parse(byId.get('pa_req_0')?.['data.transfer_attempts'] ?? '')).toHaveLength(1)
    },
  )

  it('finds the notices of an interval in one file, in the order of their times', async () => {
    const system = pharmacy({ batchMs: 300 })
    const ids = ['pa_req_1', 'pa_req_2', 'pa_req_3']
    await Promise.all(
      ids.map((resourceId) =>
        system.open(createTestRun({ resourceId })).putPrescriptionTransfer(transferred(resourceId)),
      ),
    )
    const [file, ...others] = await server.files()
    expect(others).toEqual([])
    expect(file?.name).toMatch(/^\d{8}T\d{9}Z-batch-[0-9a-f]{16}\.ndjson$/)
    const notices = noticesIn(file?.content ?? '')
    expect(notices.map(({ data }) => data.prior_authorization_id).toSorted()).toEqual(ids)
    expect(notices.map(({ timestamp }) => timestamp)).toEqual(notices.map(({ timestamp }) => timestamp).toSorted())
  })

  it('is sent nothing by a run that may not act any more, also not together with others', async () => {
    const system = pharmacy({ batchMs: 300 })
    const lost = new Error('the claim was lost')
    const isBeingWritten = () => readdirSync(server.folder).some((name) => name.endsWith('.part'))
    // It may still act when the file is opened, and not when it is to be renamed.
    const losing = createTestRun({
      resourceId: 'pa_req_1',
      assertMayAct() {
        if (isBeingWritten()) throw lost
      },
    })
    const told = [
      system.open(losing).putPrescriptionTransfer(transferred('pa_req_1')),
      system.open(createTestRun({ resourceId: 'pa_req_2' })).putPrescriptionTransfer(transferred('pa_req_2')),
    ]
    expect(await Promise.allSettled(told)).toMatchObject([{ reason: lost }, { status: 'fulfilled' }])
    const [file, ...others] = await server.files()
    expect(others).toEqual([])
    expect(noticesIn(file?.content ?? '').map(({ data }) => data.prior_authorization_id)).toEqual(['pa_req_2'])
  })
})

describe.skipIf(sshd === undefined)('a connection by SFTP that is cut', () => {
  /** Bytes from pawl until a notice is told. */
  async function bytesOfOneNotice(): Promise<number> {
    await pharmacy().open(createTestRun()).putPrescriptionTransfer(transferred('pa_req_0'))
    return server.traffic().bytes
  }

  it('anywhere leaves no half of a file under its name, and the retry ends with exactly one', async () => {
    const all = await bytesOfOneNotice()
    const long = { drug_name: 'Exampline', directions: 'One tablet daily. '.repeat(200) }
    const cuts = 24
    const seen = { failed: 0, part: 0, none: 0 }
    for (let cut = 1; cut <= cuts; cut += 1) {
      const resourceId = `pa_req_${cut}`
      const run = createTestRun({ resourceId })
      const whole = transferred(resourceId, {}, long)
      const first = pharmacy()
      server.cutAfter(Math.floor((cut * (all + 3_600)) / cuts))
      const told = await Promise.allSettled([first.open(run).putPrescriptionTransfer(whole)])
      if (told[0]?.status === 'rejected') {
        seen.failed += 1
        expect(told[0].reason).toMatchObject({ code: 'pharmacy_write_failed', retry: 'backoff', isOutage: true })
      }
      server.cutAfter(undefined)
      const afterCut = (await server.files()).filter(({ name }) => name.includes(`-${resourceId}-`))
      if (afterCut.length === 0) seen.none += 1
      for (const { name, content } of afterCut)
        if (name.endsWith('.part')) seen.part += 1
        else noticesIn(content)

      await first.open(run).putPrescriptionTransfer(whole)
      const files = (await server.files()).filter(({ name }) => name.includes(`-${resourceId}-`))
      expect(files.map(({ name }) => /-\d+\.ndjson$/.test(name))).toEqual([true])
      expect(noticesIn(files[0]?.content ?? '')[0]?.data.prescription.directions).toBe(long.directions)
    }
    // Cut before the file, in it, and after.
    expect(seen.failed).toBeGreaterThan(cuts / 2)
    expect(seen.none).toBeGreaterThan(0)
    expect(seen.part).toBeGreaterThan(0)
  })

  it('in a batch leaves no part behind once the next file is written', async () => {
    const all = await bytesOfOneNotice()
    const system = pharmacy({ batchMs: 100 })
    const runs = ['pa_req_1', 'pa_req_2'].map((resourceId) => createTestRun({ resourceId }))
    const tell = () =>
      Promise.allSettled(
        runs.map((run) =>
          system.open(run).putPrescriptionTransfer(transferred(run.resourceId, {}, { directions: 'x'.repeat(30_000) })),
        ),
      )
    server.cutAfter(all + 10_000)
    expect((await tell()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await names()).filter((name) => name.includes('batch')).map((name) => name.endsWith('.part'))).toEqual([
      true,
    ])
    server.cutAfter(undefined)
    expect((await tell()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    const batches = (await server.files()).filter(({ name }) => name.includes('batch'))
    expect(batches.map(({ name }) => name.endsWith('.ndjson'))).toEqual([true])
    expect(noticesIn(batches[0]?.content ?? '')).toHaveLength(2)
  })

  it('after the file had its name is no reason to write it again', async () => {
    const run = createTestRun()
    await pharmacy().open(run).putPrescriptionTransfer(transferred())
    const [name = ''] = await names()
    const before = await stat(join(server.folder, name))
    // The recorded acceptance is forgotten.
    await run.memory.write('transfer_taken', { id: 'none' })
    await pharmacy().open(run).putPrescriptionTransfer(transferred())
    expect(await names()).toEqual([name])
    expect((await stat(join(server.folder, name))).ino).toBe(before.ino)
    expect(run.receipts).toHaveLength(2)
  })
})

describe.skipIf(sshd === undefined)('an SFTP server that cannot be used', () => {
  const refused = { retry: 'backoff', isOutage: true, costsAttempt: false, system: 'pharmacy', resourceId: 'pa_req_1' }
  const tell = (system: System<Pharmacy>) =>
    failure(system.open(createTestRun()).putPrescriptionTransfer(transferred()))

  it('for another host key is sent nothing, and the setting is named with the key that it showed', async () => {
    const system = pharmacy({ hostKeys: [`SHA256:${'A'.repeat(43)}`] })
    const error = await tell(system)
    expect(error).toMatchObject(refused)
    expect(error.message).toContain(`${server.fingerprint}, which PHARMACY_HOST_KEY does not name`)
    expect(error.reason).toMatch(/^SFTP: the server shows the host key .* PHARMACY_HOST_KEY/)
    expect(await system.check?.(new AbortController().signal)).toMatchObject({ ok: false })
    expect(await names()).toEqual([])
  })

  it('for a key that it does not know names the setting and the account', async () => {
    const error = await tell(pharmacy({ privateKey: readFileSync(server.strangerKeyFile, 'utf8') }))
    expect(error).toMatchObject(refused)
    expect(error.message).toContain('PHARMACY_SSH_KEY_FILE')
    expect(error.message).toContain(`for the account ${server.username}`)
  })

  it('for a folder that is not there says so', async () => {
    const error = await tell(pharmacy({ folder: `${server.folder}/none` }))
    expect(error).toMatchObject(refused)
    expect(error.message).toContain('no such folder')
    expect(error.message).not.toMatch(/Testa|Sample|none/)
  })

  it('can be found out before the first patient, and the check leaves nothing behind', async () => {
    expect(await pharmacy().check?.(new AbortController().signal)).toEqual({
      ok: true,
      findings: ['Files can be written by SFTP.'],
    })
    expect(await names()).toEqual([])
  })

  it('for a folder that goes away is used again once it is back', async () => {
    const system = pharmacy()
    await rm(server.folder, { recursive: true })
    expect(await tell(system)).toMatchObject(refused)
    await mkdir(server.folder)
    await writeFile(join(server.folder, 'another.txt'), '')
    await system.open(createTestRun()).putPrescriptionTransfer(transferred())
    expect(await names()).toHaveLength(2)
  })
})
