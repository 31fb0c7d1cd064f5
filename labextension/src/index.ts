import { commandsPlugin } from "./commands.js";
import { connectPlugin } from "./connecting.js";
import { highlightPlugin } from "./highlighting.js";
import { insertPlugin } from "./inserting.js";
import { panelsPlugin } from "./panels.js";
import { readerPlugin } from "./reader.js";
import { sidebarPlugin } from "./sidebar/plugin.js";

export default [
  readerPlugin,
  sidebarPlugin,
  commandsPlugin,
  insertPlugin,
  connectPlugin,
  highlightPlugin,
  panelsPlugin,
];
