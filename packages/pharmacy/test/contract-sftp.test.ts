import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { createSftpPharmacy } from '../src/sftp/sftp-pharmacy.ts'
import { TransferNotice } from '@pawl/pharmacy'
import { connectorContract, type Fault } from '../../testing/src/index.ts'
import { startRelay } from '../../../test/support/relay.ts'
import { sshd, startSftpServer } from '../../../test/support/sftp-server.ts'
import { transferSubject } from '../../../test/support/transfer-subject.ts'

async function startInbox() {
  const server = await startSftpServer()
  const relay = await startRelay(server.port)
  return {
    connect: () =>
      createSftpPharmacy({
        host: '127.0.0.1',
        port: relay.port,
        username: server.username,
        privateKey: readFileSync(server.keyFile, 'utf8'),
        hostKeys: [server.fingerprint],
        folder: server.folder,
        format: 'ndjson',
        batchMs: 0,
      }),
    held: async (resourceId: string) =>
      (await server.files())
        .filter(({ name }) => name.endsWith('.ndjson'))
        .flatMap(({ content }) => content.trimEnd().split('\n'))
        .map((line) => TransferNotice.parse(JSON.parse(line)).data)
        .filter((data) => data.prior_authorization_id === resourceId)
        .map(({ status }) => status),
    fail: (fault?: Fault) => relay.fail(fault === 'silence' || fault === undefined ? fault : 'cut'),
    connections: async () => relay.connections(),
    async close() {
      await relay.close()
      await server.close()
    },
  }
}

describe.skipIf(sshd === undefined)('a pharmacy that is told by SFTP keeps the contract', () => {
  const faults = ['unavailable', 'silence', 'cut'] as const
  for (const { name, check } of connectorContract({ ...transferSubject, faults, start: startInbox })) it(name, check)
})
