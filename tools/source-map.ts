// Prints the map of the sources, with the length of each file.
import { sourceTree } from './source-tree.ts'

console.log(sourceTree({ lengths: true }))
