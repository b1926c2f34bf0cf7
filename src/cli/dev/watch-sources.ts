import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** An editor writes a file in several steps, and a formatter many files. */
const settleMs = 150

/** What is part of a running gateway: sources, and no tests. */
const isSource = (name: string) => /\.(ts|js|json)$/.test(name) && !name.endsWith('.test.ts')

/** Calls back with the path of a source, from the root, soon after it changed; several changes at once come as one, by the last. `folders` are watched with all below them, `files` each by itself; all are relative to the root. */
export function watchSources(
  root: string,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
  onChange: (path: string) => void,
): { close(this: void): void } {
  const watchers = new Map<string, FSWatcher>()
  let settling: NodeJS.Timeout | undefined

  function changed(path: string): void {
    clearTimeout(settling)
    settling = setTimeout(() => onChange(relative(root, path)), settleMs)
  }

  /** Each folder has a watcher of its own: recursive ones lose files that an editor puts in the place of others (Node 20 on Linux). */
  function watchFolder(folder: string): void {
    if (watchers.has(folder)) return
    const entries = readFolder(folder)
    if (entries === undefined) return
    const watcher = watch(folder, (_event, name) => {
      if (name === null) return
      const path = join(folder, name)
      if (isSource(name)) changed(path)
      else watchFolder(path)
    })
    const forget = () => {
      watcher.close()
      watchers.delete(folder)
    }
    watcher.on('error', forget)
    watcher.on('change', () => existsSync(folder) || forget())
    watchers.set(folder, watcher)
    for (const entry of entries) if (entry.isDirectory()) watchFolder(join(folder, entry.name))
  }

  for (const folder of folders) watchFolder(join(root, folder))
  // A file that is not there yet cannot be watched, its folder can.
  const watcher = watch(root, (_event, name) => {
    if (name !== null && files.includes(basename(name))) changed(join(root, name))
  })
  watchers.set(root, watcher)
  return {
    close() {
      clearTimeout(settling)
      for (const each of watchers.values()) each.close()
    },
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A file, or gone already.
    return undefined
  }
}
