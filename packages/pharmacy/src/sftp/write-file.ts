import type { OpenSftp, SftpProtocol } from './open-sftp.ts'
import { SftpFailed } from './sftp-failed.ts'

export interface FileToWrite {
  folder: string
  name: string
  content: Buffer
}

/** The path of a file while it is being written: receivers ignore names that end in `.part`. */
export function partOf({ folder, name }: Pick<FileToWrite, 'folder' | 'name'>): string {
  return `${folder}/${name}.part`
}

/** Whether the whole file exists already, from an attempt without an answer. */
export async function isWritten({ client }: OpenSftp, { folder, name, content }: FileToWrite): Promise<boolean> {
  const path = `${folder}/${name}`
  if ((await client.exists(path)) === false) return false
  return (await client.stat(path)).size === content.length
}

/** Writes the whole `.part` file and flushes it to disk; replaces the remains of an earlier attempt. */
export async function writePart({ client, protocol }: OpenSftp, file: FileToWrite): Promise<void> {
  const part = partOf(file)
  // Readable by the login's user only: the server's umask may allow more.
  await client.put(file.content, part, { writeStreamOptions: { mode: 0o600 } })
  const { size } = await client.stat(part)
  if (size !== file.content.length)
    throw new SftpFailed('the server stored fewer bytes than were sent', { isSettings: false })
  await flush(protocol, part)
}

/** Renames a written file to its final name: from then on it counts as sent. */
export async function publish({ client }: OpenSftp, file: FileToWrite): Promise<void> {
  const path = `${file.folder}/${file.name}`
  try {
    await client.rename(partOf(file), path)
  } catch (error) {
    // SFTP's rename refuses an existing name; here it holds the same notice as an earlier release wrote it.
    if ((await client.exists(path)) === false) throw error
    await client.delete(path)
    await client.rename(partOf(file), path)
  }
}

/** Flushes a file to the server's disk, if supported: otherwise a renamed file could be empty after a power cut. */
async function flush(protocol: SftpProtocol, path: string): Promise<void> {
  const handle = await new Promise<Buffer>((resolve, reject) => {
    protocol.open(path, 'r+', (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  await new Promise<void>((resolve) => {
    try {
      protocol.ext_openssh_fsync(handle, () => resolve())
    } catch {
      // The library throws if the server does not announce the extension.
      resolve()
    }
  })
  await new Promise<void>((resolve, reject) => {
    protocol.close(handle, (error) => (error ? reject(error) : resolve()))
  })
}
