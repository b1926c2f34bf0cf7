/** What is used of the package, which has no types. */
declare module 's3rver' {
  import type { Server } from 'node:http'

  export default class S3rver {
    constructor(options: {
      address?: string
      port?: number
      silent?: boolean
      directory: string
      configureBuckets?: readonly { name: string }[]
    })
    /** Resolves with where it listens. */
    run(): Promise<{ address: string; port: number }>
    httpServer: Server
    store: { deleteObject(bucket: string, key: string): Promise<void> }
    close(): Promise<void>
  }
}
