import type { Culture } from "./culture.ts";

/** Common names in Latin script, combined at random. All users are fictional. */
export const latinNames: readonly Culture[] = [
  {
    weight: 9,
    places:
      "US Chicago,Denver,Austin,Seattle,Boston; GB London,Leeds,Bristol,Cardiff; CA Toronto,Halifax,Calgary; AU Sydney,Perth,Hobart; NZ Auckland,Dunedin",
    women:
      "Olivia Grace Hannah Charlotte Ruby Imogen Harriet Abigail Madison Chloe Freya Sophie Ellie Martha Georgia Holly Naomi Tessa",
    men: "Oliver Jack Noah Ethan Harvey Callum Dylan Marcus Elliot Tyler Owen Felix Jasper Reuben Logan Miles Toby Wesley",
    families:
      "Smith Walker Bennett Hughes Clarke Mitchell Parker Harrison Cooper Barnes Fletcher Whitfield Ashworth Hartley Pemberton Sinclair Langley Winters",
    doubled: "-",
    twoGiven: " ",
  },
  {
    weight: 3,
    places: "IE Dublin,Cork,Galway,Limerick; GB Belfast,Glasgow,Inverness",
    women: "Aoife Niamh Siobhán Sinéad Róisín Caoimhe Gráinne Órla Eilidh Mairead Fionnuala Ciara",
    men: "Seán Oisín Cian Tadhg Pádraig Darragh Eoin Fionn Ruairí Conall Lachlan Hamish",
    families:
      "O’Brien O’Connor O’Sullivan O’Neill Ó_Súilleabháin Mac_Giolla McCarthy McKenna MacLeod Fitzgerald Gallagher Byrne Doherty Brennan",
  },
  {
    weight: 6,
    places:
      "DE Berlin,Hamburg,München,Köln,Leipzig,Tübingen; AT Wien,Graz,Linz; CH Zürich,Bern,Genève; LI Vaduz",
    women: "Anna Käthe Jördis Marlene Antje Friederike Lena Svenja Zoë Heike Birgit Greta Annelie Mathilda",
    men: "Jürgen Jörg Björn Lukas Matthias Günther Heiko Tobias Moritz Sören Benedikt Rüdiger Emil Götz",
    families:
      "Müller Schäfer Krüger Weiß Groß Böhm Fuchs Lindner Jäger Strauß Vogel Köhler Zimmermann Brückner Hölzl Rößler Bäumler Niederegger",
    particles: "von zu von_der",
    doubled: "-",
    twoGiven: "-",
  },
  {
    weight: 5,
    places:
      "FR Paris,Lyon,Nîmes,Besançon,Orléans,Marseille; BE Liège,Bruxelles,Namur; CA Montréal,Québec; CH Genève,Neuchâtel; LU Luxembourg",
    women: "Chloé Zoé Anaïs Hélène Maëlys Éloïse Françoise Noémie Océane Léa Aurélie Bérénice Inès Solène",
    men: "Loïc Jérôme François Théo Raphaël Étienne Gaëtan Benoît Rémi Maël Cédric Noël Grégoire Aurélien",
    families:
      "Lefèvre Dubois Lemaître Bérenger Noël Gauthier Desrosiers Château Fournier Besson Le_Goff Beauchêne D’Aubigny L’Hermitte Garçon Périgord de_la_Tour du_Bois",
    particles: "de",
    doubled: "-",
    twoGiven: "-",
  },
  {
    weight: 7,
    places:
      "ES Madrid,Sevilla,Málaga,León,Zaragoza; MX Mérida,Puebla,Ciudad de México; CO Bogotá,Medellín; AR Córdoba,Rosario,Buenos Aires; CL Santiago,Valparaíso; PE Lima,Cusco",
    women:
      "María Lucía Sofía Begoña Ximena Inés Valentina Rocío Itziar Ángela Belén Noelia Araceli Guadalupe",
    men: "José Andrés Íñigo Joaquín Nicolás Ángel Santiago Raúl Héctor Matías Tomás Álvaro Hernán Jesús",
    families:
      "García Núñez Ibáñez Muñoz Peña Jiménez Hernández Gutiérrez Echeverría Quiñones Salazar Ordóñez Sepúlveda Zúñiga Barrientos Yáñez Cárdenas Mendoza de_la_Fuente de_los_Ríos del_Río",
    doubled: " ",
    twoGiven: " ",
  },
  {
    weight: 5,
    places:
      "PT Lisboa,Porto,Évora,Coimbra; BR São Paulo,Brasília,Goiânia,Belém,Recife; AO Luanda,Huambo; MZ Maputo,Beira; CV Praia",
    women: "Conceição Inês Luísa Beatriz Júlia Mônica Fátima Graça Letícia Antónia Taís Raquel",
    men: "João Luís Antônio Simão Estêvão Caetano Thiago Murilo Zé Gonçalo Otávio Baltazar",
    families:
      "Gonçalves Conceição Magalhães Araújo Simões Brandão Guimarães Falcão Leitão Assunção Pacheco Queirós Tavares Valadão dos_Santos da_Silva do_Carmo",
    particles: "de",
    doubled: " ",
    twoGiven: " ",
  },
  {
    weight: 4,
    places: "IT Roma,Torino,Bologna,Forlì,Palermo; CH Lugano; SM San Marino",
    women: "Giulia Beatrice Niccolina Chiara Noemi Ginevra Ornella Letizia Fiammetta Désirée",
    men: "Niccolò Matteo Lorenzo Cesare Tommaso Emanuele Davide Edoardo Raffaele Ruggero",
    families:
      "Rossi Esposito D’Angelo D’Amico Dell’Acqua Bianchi Lo_Presti De_Luca Caputo Nicolò Ferrero Sartori Zanetti Bellini",
  },
  {
    weight: 3,
    places: "NL Utrecht,Groningen,’s-Hertogenbosch,Delft; BE Gent,Brugge,Antwerpen; SR Paramaribo",
    women: "Anouk Fenna Saskia Maaike Noëlle Lieke Femke Loïs Roos Geertje",
    men: "Daan Sjoerd Joost Gijs Thijs Jeroen Koen Ruben Wouter Bram",
    families:
      "Bakker Dijkstra van_den_Berg de_Vries van_der_Meer van_Dijk in_’t_Veld ’t_Hart Zijlstra Brouwer ter_Horst Vermeulen Postma De_Smet",
    doubled: "-",
  },
  {
    weight: 4,
    places:
      "SE Malmö,Göteborg,Umeå,Örebro; NO Tromsø,Ålesund,Bodø,Oslo; DK Århus,Helsingør,Ærøskøbing,København; FO Tórshavn",
    women: "Åsa Märta Ingrid Solveig Linnéa Tuva Bodil Kirsten Sørine Ragnhild Maja Freja",
    men: "Björn Åke Håkon Søren Bjørn Øystein Gösta Jørgen Lasse Magnus Anders Vidar",
    families:
      "Bergström Sjöberg Lindqvist Åkesson Nygård Sørensen Ødegård Kjær Østergaard Hægstad Strömberg Brødsgaard Holmén Dahl",
    doubled: "-",
  },
  {
    weight: 1,
    places: "IS Reykjavík,Akureyri,Ísafjörður",
    women: "Guðrún Sigríður Þóra Ásdís Hrafnhildur Björk Eyrún Ragnheiður",
    men: "Þorsteinn Guðmundur Sigurður Ólafur Ægir Björgvin Hafþór Kári",
    families: "Þórarinsson Guðjónsson Ólafsson Sigurðsson Ásgeirsson Hallgrímsson Böðvarsson Einarsson",
    familiesOfWomen:
      "Þórarinsdóttir Guðjónsdóttir Ólafsdóttir Sigurðardóttir Ásgeirsdóttir Hallgrímsdóttir Böðvarsdóttir Einarsdóttir",
  },
  {
    weight: 2,
    places: "FI Helsinki,Jyväskylä,Hämeenlinna,Turku; EE Tallinn,Tartu,Pärnu",
    women: "Päivi Hillevi Kaisa Helmi Tuulikki Aino Kädi Liisu Riikka Õie",
    men: "Väinö Jyrki Eero Yrjö Pekka Kalevi Tõnu Märt Jüri Ülo",
    families: "Hämäläinen Mäkinen Nyyssönen Lehtonen Pöysti Äyräpää Kõiv Mägi Jõgi Põder Tamm Räisänen",
  },
  {
    weight: 2,
    places: "LV Rīga,Jelgava,Liepāja; LT Vilnius,Kaunas,Klaipėda",
    women: "Līga Agnė Živilė Ieva Rūta Dzintra Ūla Eglė",
    men: "Jānis Žygimantas Andris Mārtiņš Šarūnas Kęstutis Uldis Ąžuolas",
    families: "Bērziņš Kalniņš Ozols Žukauskas Kazlauskas Ķēniņš Jankūnas Šķēle",
    familiesOfWomen: "Bērziņa Kalniņa Ozola Žukauskienė Kazlauskaitė Ķēniņa Jankūnaitė Šķēle",
  },
  {
    weight: 4,
    places: "PL Kraków,Łódź,Gdańsk,Wrocław,Białystok,Rzeszów",
    women: "Małgorzata Łucja Świętosława Agnieszka Zuzanna Bożena Róża Kinga Wiesława Żaneta",
    men: "Łukasz Wojciech Zdzisław Michał Błażej Paweł Grzegorz Jędrzej Kazimierz Świętomir",
    families:
      "Wiśniewski Kowalski Zieliński Dąbrowski Woźniak Wójcik Łuczak Mróz Grabowski Żuraw Jabłoński Król Błaszczyk Pawłowski",
    familiesOfWomen:
      "Wiśniewska Kowalska Zielińska Dąbrowska Woźniak Wójcik Łuczak Mróz Grabowska Żuraw Jabłońska Król Błaszczyk Pawłowska",
    doubled: "-",
  },
  {
    weight: 3,
    places: "CZ Brno,Plzeň,Ústí nad Labem,Praha; SK Košice,Žilina,Bratislava,Prešov",
    women: "Žofie Květa Markéta Ľubica Eliška Božena Růžena Zdeňka Kateřina Naďa",
    men: "Jiří Ondřej Ľuboš Tomáš Zdeněk Matěj Přemysl Štěpán Vojtěch Miloš",
    families: "Novák Dvořák Černý Procházka Růžička Kučera Šťastný Hruška Veselý Křížek Havlíček Ďurica",
    familiesOfWomen:
      "Nováková Dvořáková Černá Procházková Růžičková Kučerová Šťastná Hrušková Veselá Křížková Havlíčková Ďuricová",
  },
  {
    weight: 2,
    places: "HU Győr,Szeged,Székesfehérvár,Budapest,Kőszeg",
    women: "Ágnes Erzsébet Zsófia Piroska Réka Boglárka Tünde Ildikó",
    men: "László György Zoltán Ödön Győző Béla Csaba Jenő",
    families: "Szabó Kovács Fehér Bíró Őrsi Hegedűs Lőrincz Nemes Szűcs Vörös Gyöngyösi Ács",
    order: "family first",
  },
  {
    weight: 2,
    places: "RO Iași,Brașov,Cluj-Napoca,Timișoara,București; MD Chișinău,Bălți",
    women: "Ștefania Ioana Mălina Ilinca Țița Rodica Sânziana Crăița",
    men: "Ștefan Ionuț Răzvan Cătălin Mihăiță Dănuț Horațiu Mircea",
    families: "Popescu Țurcanu Șerban Munteanu Brătescu Dumitrașcu Câmpeanu Vlădescu Ionescu Mârza",
    doubled: "-",
  },
  {
    weight: 3,
    places:
      "HR Šibenik,Požega,Zagreb; SI Škofja Loka,Celje,Ljubljana; BA Brčko,Sarajevo,Mostar; ME Nikšić,Podgorica",
    women: "Željka Đurđica Šejla Maša Živa Anđela Ljubica Čarna Vesna Špela",
    men: "Željko Đuro Miloš Nenad Črtomir Dražen Tvrtko Žiga Senad Blaž",
    families: "Šarić Đurić Babić Živković Hadžić Kovačević Žnidaršič Čeh Pejić Štimac",
    doubled: "-",
  },
  {
    weight: 1,
    places: "AL Tiranë,Shkodër,Vlorë; XK Prishtinë,Gjakovë; MK Tetovë",
    women: "Mirjeta Vjosa Teutë Shpresa Drita Zëra Lindita Yllka",
    men: "Ylli Bekë Arbën Gëzim Besnik Çlirim Fatos Dritëro",
    families: "Krasniqi Gjergji Dervishi Çela Përlleshi Kërçova Marku Zekaj",
  },
  {
    weight: 4,
    places: "TR İzmir,Eskişehir,Muğla,Diyarbakır,İstanbul; CY Lefkoşa; AZ Bakı,Şəki,Gəncə",
    women: "Gülşen Ayşe Çiğdem Şirin Özge Işıl Nurgül Aygün Zəhra İlknur",
    men: "Oğuz Çağlar Yiğit Şükrü Ömer İsmail Tuğrul Vüqar Əli Barış",
    families: "Yılmaz Öztürk Çelik Şahin Kılıç Aydoğan Güneş Əlizadə Həsənli Erdoğmuş Işık Koç",
  },
  {
    weight: 4,
    places: "VN Hà Nội,Đà Nẵng,Huế,Cần Thơ,Hải Phòng",
    women: "Thị_Hương Ngọc_Ánh Thu_Hằng Bích_Thủy Mỹ_Duyên Kim_Ngân Hồng_Nhung Thanh_Trúc",
    men: "Văn_Dũng Đức_Huy Quốc_Bảo Minh_Khôi Hữu_Phước Xuân_Trường Tiến_Đạt Hoàng_Long",
    families: "Nguyễn Trần Phạm Huỳnh Đặng Bùi Đỗ Hồ Ngô Dương Võ Lý",
    order: "family first",
  },
  {
    weight: 4,
    places:
      "NG Lagos,Abuja,Ìbàdàn,Enugu; GH Accra,Kumasi; SN Dakar,Thiès; CI Abidjan,Yamoussoukro; ML Bamako; CM Douala,Yaoundé",
    women: "Adaeze Ìyábọ̀ Ngozi Chiamaka Folákẹ́ Akosua Efua Aminata Fatoumata Awa Ọmọlará Yewande",
    men: "Chidi Olúwáṣeun Ifeanyi Ọláolú Kwame Kofi Mamadou Ousmane Yaw Bọ́lájí Emeka Abdoulaye",
    families:
      "Okafor Adébáyọ̀ Nwosu Ọláńrewájú Eze Mensah Owusu Boateng Diallo Traoré N’Diaye Koné Kouyaté Akíntọ́lá",
  },
  {
    weight: 3,
    places:
      "KE Nairobi,Kisumu,Mombasa; TZ Arusha,Dodoma; UG Kampala,Jinja; RW Kigali; ZW Harare; ZA Durban,Gqeberha,Polokwane; BW Gaborone; CD Kinshasa",
    women: "Wanjiru Achieng Nyambura Thandiwe Nokuthula Lerato Tendai Amahoro Zawadi Naledi",
    men: "Kamau Otieno Sipho Mandla Thabo Tatenda Mugisha Baraka Kagiso Njoroge",
    families: "Mwangi Odhiambo Kariuki Dlamini Mthembu Nkosi Moyo Ncube Mukamana Tshabalala Okello Ng’ang’a",
    doubled: "-",
  },
  {
    weight: 3,
    places: "ID Yogyakarta,Bandung,Surabaya,Denpasar; MY Ipoh,Kuching; TL Dili",
    women: "Suharti Wulandari Ratnasari Dewi Lestari Puspita Melati Nurhayati",
    men: "Budiono Sutrisno Wayan Suparman Joko Hartono Rahmat Ketut",
  },
  {
    weight: 2,
    places: "PH Cebu,Davao,Quezon City,Iloilo",
    women: "Maricel Luzviminda Analyn Jovelyn Tala Rosalinda Mayumi Ligaya",
    men: "Rodrigo Ramil Bayani Arnel Danilo Crisanto Makisig Dodong",
    families: "Dela_Cruz Santos Reyes Bautista Macaraeg Dimaculangan Panganiban Tolentino Ilagan Villanueva",
    twoGiven: " ",
  },
  {
    weight: 1,
    places: "NZ Whangārei,Tauranga,Rotorua; WS Apia; TO Nuku‘alofa; FJ Suva; US Honolulu",
    women: "Aroha Mārama Ngaio Leilani Sina Hinemoa Kalea Tiare",
    men: "Tāne Māui Wiremu Keoni Tevita Ioane Rāwiri Kalani",
    families: "Parāone Ngāwati Kahananui Faleafa Keawe Tuimavave Ha‘o Rangihau Fifita",
  },
];
