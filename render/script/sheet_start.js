sheet.start();
