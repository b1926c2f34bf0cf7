import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Age of the file at this path, or of the newest file in the folder, in milliseconds; `undefined` if there is none. */
export async function readBackupAge(path: string, now: number): Promise<number | undefined> {
  const at = await modifiedAt(path)
  return at === undefined ? undefined : Math.max(0, now - at)
}

async function modifiedAt(path: string): Promise<number | undefined> {
  const found = await statOf(path)
  if (found === undefined || found.isFile()) return found?.mtimeMs
  const names = await readdir(path).catch(() => [])
  const files = await Promise.all(names.map((name) => statOf(join(path, name))))
  const times = files.flatMap((file) => (file?.isFile() === true ? [file.mtimeMs] : []))
  return times.length === 0 ? undefined : Math.max(...times)
}

/** A missing or unreadable file counts as no backup. */
function statOf(path: string) {
  return stat(path).catch(() => undefined)
}
