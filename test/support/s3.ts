import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { BodyStoreSettings } from '../../src/ledger/bodies/body-store.ts'
import { freePort } from './spawn-pawl.ts'

/** A store that speaks as S3 does, on 127.0.0.1 and in a folder of its own; of the credentials it checks the key's id alone. */
export interface TestS3 {
  /** Of a bucket that is there. */
  settings: Extract<BodyStoreSettings, { kind: 's3' }>
  /** The same as BODY_STORE has it. */
  url: string
  /** Goes away; what it holds stays. */
  stop(): Promise<void>
  /** Comes back on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts it. */
export async function startS3(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'pawl-s3-'))
  const port = await freePort()
  let server: S3rver | undefined

  async function start(): Promise<void> {
    server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: 'bodies' }],
    })
    deleteOneByOne(server)
    await server.run()
  }

  async function stop(): Promise<void> {
    server?.httpServer.closeAllConnections()
    await server?.close()
    server = undefined
  }

  await start()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    settings: {
      kind: 's3',
      endpoint,
      bucket: 'bodies',
      prefix: 'pawl/one',
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    url: `s3://bodies/pawl/one?endpoint=${endpoint}&region=us-east-1`,
    start,
    stop,
    async close() {
      await stop()
      await rm(directory, { recursive: true })
    },
  }
}

/** Of several at once it looks into a folder that it has just removed, and fails. */
function deleteOneByOne({ store }: S3rver): void {
  const deleteObject = store.deleteObject.bind(store)
  let last: Promise<unknown> = Promise.resolve()
  store.deleteObject = (bucket, key) => {
    const deleted = last.then(() => deleteObject(bucket, key))
    last = deleted.catch(() => undefined)
    return deleted
  }
}
