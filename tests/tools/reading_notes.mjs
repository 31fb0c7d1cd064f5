// Writes the notes on the card of a question about a file as JSON: reading_notes.mjs FILE LINE.
import { argv, stdout } from "node:process";
import { createService } from "../../typescript/packages/client/dist/index.js";

const [, , path, line] = argv;
const service = createService();
await service.connect(path, { name: "a" });
const { card } = await service.ask(line);
stdout.write(JSON.stringify(card.view.reading_notes));
