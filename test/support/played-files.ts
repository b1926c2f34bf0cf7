import type { Api } from '../../packages/client/src/api/client.ts'

/** The files of the service as handlers see them: what is in each is its address, unless the test says that it fails. */
export interface PlayedFiles {
  /** Only downloads are answered. */
  api: Api
  /** Addresses in the order in which they were asked for. */
  downloads: string[]
  /** Errors of requests, by address. */
  failures: Map<string, Error>
}

/** Makes files that can all be had. */
export function createPlayedFiles(): PlayedFiles {
  const downloads: string[] = []
  const failures = new Map<string, Error>()
  const files: Pick<Api, 'downloadFile'> = {
    async downloadFile(url) {
      downloads.push(url)
      const failure = failures.get(url)
      if (failure !== undefined) throw failure
      return { content: Buffer.from(url), contentType: 'application/pdf' }
    },
  }
  // The handlers of these tests call nothing else.
  return { api: files as Api, downloads, failures }
}
