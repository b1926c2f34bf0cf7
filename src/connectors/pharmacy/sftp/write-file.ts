import type { OpenSftp, SftpProtocol } from './open-sftp.ts'
import { SftpFailed } from './sftp-failed.ts'

export interface FileToWrite {
  folder: string
  name: string
  content: Buffer
}

/** Where a file is while it is being written: receivers leave what ends in `.part` alone. */
export function partOf({ folder, name }: Pick<FileToWrite, 'folder' | 'name'>): string {
  return `${folder}/${name}.part`
}

/** Whether the whole file is there, from an attempt whose end was not heard. */
export async function isWritten({ client }: OpenSftp, { folder, name, content }: FileToWrite): Promise<boolean> {
  const path = `${folder}/${name}`
  if ((await client.exists(path)) === false) return false
  return (await client.stat(path)).size === content.length
}

/** Writes the file under its other name, whole and on disk, in place of what an attempt before left there. */
export async function writePart({ client, protocol }: OpenSftp, file: FileToWrite): Promise<void> {
  const part = partOf(file)
  // For the user of the connection alone: the server's umask may leave more.
  await client.put(file.content, part, { writeStreamOptions: { mode: 0o600 } })
  const { size } = await client.stat(part)
  if (size !== file.content.length)
    throw new SftpFailed('the server has kept less than was sent', { isSettings: false })
  await flush(protocol, part)
}

/** Gives a file that was written its name: from then on it counts as told. */
export async function publish({ client }: OpenSftp, file: FileToWrite): Promise<void> {
  const path = `${file.folder}/${file.name}`
  try {
    await client.rename(partOf(file), path)
  } catch (error) {
    // SFTP's rename takes no name that is in use: by the same notice in another form, from before an upgrade.
    if ((await client.exists(path)) === false) throw error
    await client.delete(path)
    await client.rename(partOf(file), path)
  }
}

/** Has the server put a file on its disk, where it knows how: a file that was renamed could else be empty after a power cut. */
async function flush(protocol: SftpProtocol, path: string): Promise<void> {
  const handle = await new Promise<Buffer>((resolve, reject) => {
    protocol.open(path, 'r+', (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  await new Promise<void>((resolve) => {
    try {
      protocol.ext_openssh_fsync(handle, () => resolve())
    } catch {
      // Thrown by the library where the server did not say that it knows how.
      resolve()
    }
  })
  await new Promise<void>((resolve, reject) => {
    protocol.close(handle, (error) => (error ? reject(error) : resolve()))
  })
}
