import { setDefaultTimeout } from "bun:test";
import { testQuestions } from "./support/assistant-questions.ts";

setDefaultTimeout(60_000);

testQuestions(2000);
