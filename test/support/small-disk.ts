import { spawnSync } from 'node:child_process'
import { needs, saySkipped } from './needs.ts'

const unshare = needs('unshare', { package: 'util-linux' })

/** A disk of one's own, in a mount namespace that ends with the process. */
const command = [unshare ?? '', '-m', 'sh', '-c', 'mount -t tmpfs -o size=96m tmpfs "$0" && exec "$@"']

/** Whether this process may mount a disk; where not, the same as for a program that is missing. */
export const mayMount = unshare !== undefined && spawnSync(unshare, [...command.slice(1), '/mnt', 'true']).status === 0
if (!mayMount) saySkipped('no mount namespace: the tests of a full disk are skipped (run them as root)')

/** A command to put in front of another, which then has a small disk at this folder. */
export const onSmallDisk = (folder: string) => [...command, folder]
