import type { Culture } from "./culture.ts";

/** Names in other scripts, with their ASCII forms for emails. */
export const nonLatinNames: readonly Culture[] = [
  {
    weight: 5,
    places: "RU Москва,Казань,Омск,Томск; BY Мінск,Гродна; KZ Алматы,Астана; KG Бішкек",
    women:
      "Анна=anna Ольга=olga Татьяна=tatyana Дарья=darya Ксения=kseniya Людмила=lyudmila Алёна=alyona Зоя=zoya Гульнара=gulnara Юлия=yuliya",
    men: "Иван=ivan Пётр=pyotr Дмитрий=dmitriy Фёдор=fyodor Сергей=sergey Илья=ilya Тимур=timur Юрий=yuriy Захар=zakhar Ерлан=yerlan",
    families:
      "Иванов=ivanov Соловьёв=solovyov Кузнецов=kuznetsov Щербаков=shcherbakov Жуков=zhukov Зайцев=zaytsev Чернов=chernov Ахметов=akhmetov Ковалёв=kovalyov Яковлев=yakovlev",
    familiesOfWomen:
      "Иванова=ivanova Соловьёва=solovyova Кузнецова=kuznetsova Щербакова=shcherbakova Жукова=zhukova Зайцева=zaytseva Чернова=chernova Ахметова=akhmetova Ковалёва=kovalyova Яковлева=yakovleva",
    doubled: "-",
  },
  {
    weight: 4,
    places: "UA Київ,Львів,Чернівці,Одеса,Запоріжжя,Луцьк",
    women:
      "Оксана=oksana Соломія=solomiya Олена=olena Єва=yeva Ганна=hanna Наталія=nataliya Мар’яна=mariana Іванна=ivanna",
    men: "Андрій=andriy Тарас=taras Олексій=oleksiy Юрій=yuriy Ігор=ihor Євген=yevhen Микола=mykola Лук’ян=lukian",
    families:
      "Шевчук=shevchuk Коваленко=kovalenko Бондаренко=bondarenko Ткачук=tkachuk Мельник=melnyk Гончар=honchar Довженко=dovzhenko Іщенко=ishchenko Юрченко=yurchenko В’юн=viun",
    doubled: "-",
  },
  {
    weight: 3,
    places: "BG София,Пловдив,Варна; RS Београд,Ниш,Чачак; MK Скопје,Охрид",
    women:
      "Радка=radka Њега=njega Цветана=tsvetana Јелена=jelena Снежана=snezhana Билјана=biljana Ђурђа=djurdja Ива=iva",
    men: "Стоян=stoyan Бојан=bojan Љубомир=ljubomir Христо=hristo Ђорђе=djordje Ѓорѓи=gjorgji Живко=zhivko Васил=vasil",
    families:
      "Петровић=petrovic Јовановић=jovanovic Божков=bozhkov Ђукић=djukic Узунов=uzunov Николов=nikolov Ќосев=kjosev Велковски=velkovski",
    familiesOfWomen:
      "Петровић=petrovic Јовановић=jovanovic Божкова=bozhkova Ђукић=djukic Узунова=uzunova Николова=nikolova Ќосева=kjoseva Велковска=velkovska",
  },
  {
    weight: 4,
    places: "GR Αθήνα,Θεσσαλονίκη,Χανιά,Ιωάννινα; CY Λευκωσία,Πάφος",
    women:
      "Ελένη=eleni Αικατερίνη=aikaterini Σοφία=sofia Ζωή=zoi Δήμητρα=dimitra Χρυσούλα=chrysoula Ευαγγελία=evangelia Ναυσικά=nafsika",
    men: "Γιώργος=giorgos Νίκος=nikos Αλέξανδρος=alexandros Θεόδωρος=theodoros Σπύρος=spyros Ιάσονας=iasonas Λευτέρης=lefteris Ορέστης=orestis",
    families:
      "Παπαδόπουλος=papadopoulos Οικονόμου=oikonomou Γεωργίου=georgiou Μακρής=makris Καραγιάννης=karagiannis Νικολαΐδης=nikolaidis Βασιλείου=vasileiou Χατζής=chatzis",
    familiesOfWomen:
      "Παπαδοπούλου=papadopoulou Οικονόμου=oikonomou Γεωργίου=georgiou Μακρή=makri Καραγιάννη=karagianni Νικολαΐδου=nikolaidou Βασιλείου=vasileiou Χατζή=chatzi",
    doubled: "-",
  },
  {
    weight: 1,
    places: "GE თბილისი,ბათუმი,ქუთაისი",
    women: "ნინო=nino თამარ=tamar ქეთევან=ketevan ეკა=eka მაია=maia სალომე=salome",
    men: "გიორგი=giorgi ლევან=levan ზურაბ=zurab ვახტანგ=vakhtang ლაშა=lasha ირაკლი=irakli",
    families: "ბერიძე=beridze კაპანაძე=kapanadze მაისურაძე=maisuradze ლომიძე=lomidze წიკლაური=tsiklauri",
  },
  {
    weight: 1,
    places: "AM Երևան,Գյումրի,Վանաձոր",
    women: "Անահիտ=anahit Լուսինե=lusine Նարե=nare Շուշան=shushan Արփի=arpi Մարիամ=mariam",
    men: "Արամ=aram Գևորգ=gevorg Տիգրան=tigran Հայկ=hayk Վահե=vahe Սուրեն=suren",
    families:
      "Հակոբյան=hakobyan Գրիգորյան=grigoryan Պետրոսյան=petrosyan Մանուկյան=manukyan Ղազարյան=ghazaryan",
  },
  {
    weight: 5,
    places:
      "EG القاهرة,الإسكندرية,أسوان; MA الرباط,فاس,أكادير; SA الرياض,جدة; IQ بغداد,البصرة; JO عمّان,إربد; LB بيروت,طرابلس; TN تونس,صفاقس; AE دبي,الشارقة",
    women:
      "فاطمة=fatima مريم=maryam ليلى=layla نور=nour زينب=zaynab سلمى=salma هند=hind رُقيّة=ruqayya جميلة=jamila إيمان=iman",
    men: "محمد=mohamed أحمد=ahmad يوسف=yusuf خالد=khalid عمر=omar حسن=hasan طارق=tariq إبراهيم=ibrahim زياد=ziyad كريم=karim",
    families:
      "المصري=almasri الحداد=alhaddad بن_سالم=binsalim النجار=alnajjar أبو_زيد=abuzayd الخطيب=alkhatib بن_سعيد=binsaid القاسم=alqasim الهاشمي=alhashimi العلوي=alalawi منصور=mansour صالح=saleh",
  },
  {
    weight: 2,
    places: "IR تهران,شیراز,اصفهان,تبریز; AF کابل,هرات",
    women: "پریسا=parisa شیرین=shirin مهناز=mahnaz گلناز=golnaz نیلوفر=niloufar ژاله=zhaleh",
    men: "کیان=kian بهرام=bahram فرهاد=farhad آرش=arash امید=omid پرویز=parviz",
    families:
      "کریمی=karimi رضایی=rezaei موسوی=mousavi هاشمی=hashemi گودرزی=goudarzi احمدی=ahmadi یوسفی=yousefi",
  },
  {
    weight: 2,
    places: "PK لاہور,کراچی,پشاور,ملتان",
    women: "ثمینہ=samina عائشہ=ayesha فرحت=farhat نازیہ=nazia مہوش=mahwish",
    men: "عمران=imran ذوالفقار=zulfiqar وقار=waqar فیصل=faisal اظہر=azhar شہزاد=shahzad",
    families: "چوہدری=chaudhry قریشی=qureshi بٹ=butt یوسفزئی=yousafzai مغل=mughal ڈار=dar گیلانی=gilani",
  },
  {
    weight: 2,
    places: "IL ירושלים,חיפה,תל אביב,באר שבע",
    women: "שרה=sara נועה=noa תמר=tamar רבקה=rivka יעל=yael אביגיל=avigail ז׳קלין=jacqueline מיכל=michal",
    men: "דוד=david נועם=noam אורי=uri יהונתן=yehonatan ג׳ורג׳=george איתי=itai ברוך=baruch אלעד=elad",
    families:
      "כהן=cohen לוי=levi בן_דוד=bendavid מזרחי=mizrahi פרידמן=friedman אברהם=avraham בר_אור=baror ביטון=biton",
  },
  {
    weight: 6,
    places: "IN दिल्ली,जयपुर,वाराणसी,भोपाल,पुणे,नागपुर; NP काठमाडौँ,पोखरा",
    women:
      "प्रिया=priya अनुष्का=anushka लक्ष्मी=lakshmi मीनाक्षी=minakshi सुनीता=sunita काव्या=kavya दीपा=deepa ऐश्वर्या=aishwarya",
    men: "राजेश=rajesh अर्जुन=arjun कृष्ण=krishna विक्रम=vikram संजय=sanjay रोहित=rohit भीम=bhim ओंकार=omkar",
    families:
      "शर्मा=sharma वर्मा=varma गुप्ता=gupta सिंह=singh जोशी=joshi पाटील=patil थापा=thapa चतुर्वेदी=chaturvedi श्रेष्ठ=shrestha देशपांडे=deshpande",
  },
  {
    weight: 3,
    places: "BD ঢাকা,চট্টগ্রাম,সিলেট,খুলনা; IN কলকাতা,শিলিগুড়ি",
    women: "শর্মিলা=sharmila নুসরাত=nusrat মৌসুমী=mousumi ঋতুপর্ণা=rituparna তাসনিম=tasnim অনন্যা=ananya",
    men: "রফিক=rafiq সৌরভ=sourav আরিফ=arif দেবাশিস=debashis তানভীর=tanvir ঈশান=ishan",
    families: "রহমান=rahman চৌধুরী=chowdhury দাস=das ইসলাম=islam সেনগুপ্ত=sengupta ঘোষ=ghosh মিত্র=mitra হক=haque",
  },
  {
    weight: 3,
    places: "IN சென்னை,மதுரை,கோயம்புத்தூர்; LK யாழ்ப்பாணம்; SG Singapore; MY Penang",
    women: "கவிதா=kavitha மலர்விழி=malarvizhi தேன்மொழி=thenmozhi யாழினி=yazhini செல்வி=selvi",
    men: "முருகன்=murugan கார்த்திக்=karthik இளங்கோ=ilango செந்தில்=senthil பாரதி=bharathi",
  },
  {
    weight: 1,
    places: "IN ਅੰਮ੍ਰਿਤਸਰ,ਲੁਧਿਆਣਾ,ਪਟਿਆਲਾ",
    women: "ਹਰਪ੍ਰੀਤ=harpreet ਸਿਮਰਨ=simran ਜਸਲੀਨ=jasleen ਮਨਜੀਤ=manjit",
    men: "ਗੁਰਦੀਪ=gurdeep ਜਸਵੰਤ=jaswant ਬਲਰਾਜ=balraj ਸੁਖਬੀਰ=sukhbir",
    families: "ਸਿੱਧੂ=sidhu ਗਿੱਲ=gill ਢਿੱਲੋਂ=dhillon ਬਰਾੜ=brar",
  },
  {
    weight: 1,
    places: "IN హైదరాబాదు,వరంగల్,గుంటూరు",
    women: "పద్మ=padma శ్రావణి=sravani జ్యోతి=jyothi మాధవి=madhavi",
    men: "వెంకట్=venkat రాఘవ=raghava సురేష్=suresh కిరణ్=kiran",
    families: "రెడ్డి=reddy నాయుడు=naidu శాస్త్రి=sastri కొండా=konda",
  },
  {
    weight: 1,
    places: "LK කොළඹ,මහනුවර,ගාල්ල",
    women: "නිලූෂා=nilusha චතුරිකා=chathurika සඳුනි=sanduni දිල්හානි=dilhani",
    men: "කසුන්=kasun රුවන්=ruwan නුවන්=nuwan සම්පත්=sampath",
    families: "පෙරේරා=perera විජේසිංහ=wijesinghe ද_සිල්වා=desilva හේරත්=herath",
  },
  {
    weight: 7,
    places: "CN 北京,上海,成都,西安,哈尔滨; SG Singapore",
    women:
      "秀英=xiuying 雨桐=yutong 思=si 晓燕=xiaoyan 梓涵=zihan 丽娟=lijuan 欣怡=xinyi 雪=xue 芳=fang 若曦=ruoxi",
    men: "伟=wei 强=qiang 子轩=zixuan 浩然=haoran 志明=zhiming 建国=jianguo 宇航=yuhang 磊=lei 俊杰=junjie 一鸣=yiming",
    families:
      "王=wang 李=li 张=zhang 刘=liu 陈=chen 欧阳=ouyang 赵=zhao 司马=sima 吴=wu 徐=xu 孙=sun 诸葛=zhuge 马=ma 郭=guo",
    order: "joined",
  },
  {
    weight: 2,
    places: "TW 臺北,高雄,臺南; HK 香港,九龍; MO 澳門",
    women: "淑芬=shufen 雅婷=yating 嘉欣=kayan 詠詩=wingsze 美玲=meiling 穎=wing",
    men: "志豪=chihhao 家豪=kaho 俊賢=chunhsien 國榮=kwokwing 冠宇=kuanyu 龍=lung",
    families: "陳=chan 黃=wong 張簡=changchien 鄭=cheng 蔡=tsai 劉=lau 謝=hsieh 歐陽=auyeung",
    order: "joined",
  },
  {
    weight: 5,
    places: "JP 東京,札幌,京都,那覇,仙台,福岡",
    women: "陽菜=hina さくら=sakura 美咲=misaki 結衣=yui 恵子=keiko あかり=akari 花=hana ヒカル=hikaru",
    men: "翔太=shota 大輔=daisuke 蓮=ren 健一=kenichi 悠斗=yuto 拓海=takumi そら=sora 剛=tsuyoshi",
    families:
      "佐藤=sato 鈴木=suzuki 高橋=takahashi 渡邊=watanabe 伊藤=ito 小林=kobayashi 佐々木=sasaki 齋藤=saito 金城=kinjo 五十嵐=igarashi",
    order: "family first",
  },
  {
    weight: 4,
    places: "KR 서울,부산,전주,제주,강릉",
    women: "서연=seoyeon 지우=jiwoo 하은=haeun 민지=minji 수아=sua 빛나=bitna 예린=yerin 가을=gaeul",
    men: "민준=minjun 도윤=doyun 지훈=jihoon 현우=hyunwoo 성민=sungmin 건우=geonwoo 솔=sol 태양=taeyang",
    families: "김=kim 이=lee 박=park 최=choi 정=jung 남궁=namgung 강=kang 황보=hwangbo 윤=yoon 임=lim",
    order: "joined",
  },
  {
    weight: 3,
    places: "TH กรุงเทพฯ,เชียงใหม่,ขอนแก่น,ภูเก็ต",
    women: "สมหญิง=somying นภา=napha พิมพ์ใจ=phimchai กัญญา=kanya รัตนา=rattana อรทัย=orathai",
    men: "สมชาย=somchai ธนา=thana อนันต์=anan ชัยวัฒน์=chaiwat ณัฐ=nat กิตติ=kitti",
    families: "ศรีสุข=srisuk ทองดี=thongdi แก้วมณี=kaewmani วงศ์ใหญ่=wongyai บุญมา=bunma ใจดี=chaidi",
  },
  {
    weight: 1,
    places: "LA ວຽງຈັນ,ຫຼວງພະບາງ,ປາກເຊ",
    women: "ມະນີ=mani ຄຳຫຼ້າ=khamla ດາລາ=dala",
    men: "ສົມພອນ=somphone ບຸນມີ=bounmy ຄຳພັນ=khamphan",
    families: "ໄຊຍະວົງ=xayavong ພົມມະຈັນ=phommachanh ສີສຸກ=sisouk",
  },
  {
    weight: 1,
    places: "KH ភ្នំពេញ,សៀមរាប,បាត់ដំបង",
    women: "សុភា=sophea ចន្ទ្រា=chantrea ម៉ាលី=mali",
    men: "វិចិត្រ=vichet ពិសិដ្ឋ=piseth រតនា=rattana",
    families: "ស៊ុន=sun កែវ=keo ចាន់=chan លឹម=lim",
    order: "family first",
  },
  {
    weight: 1,
    places: "MM ရန်ကုန်,မန္တလေး,ပဲခူး",
    women: "ခင်မာ=khinmar သီတာ=thidar နန္ဒာ=nanda မြတ်နိုး=myatnoe",
    men: "အောင်ကျော်=aungkyaw ဇော်မင်း=zawmin သန့်ဇင်=thantzin ကိုကို=koko",
  },
  {
    weight: 2,
    places: "ET አዲስ አበባ,ጎንደር,መቀሌ; ER አስመራ",
    women: "ሰላም=selam ብርሃን=birhan ትዕግስት=tigist አልማዝ=almaz ሀና=hana",
    men: "ዳዊት=dawit ተስፋዬ=tesfaye ኃይሌ=haile ግርማ=girma አበበ=abebe",
    families: "አሰፋ=assefa ገብረማርያም=gebremariam ወልደ=wolde በቀለ=bekele ታደሰ=tadesse",
  },
  {
    weight: 1,
    places: "MN Улаанбаатар,Эрдэнэт,Дархан",
    women: "Оюунчимэг=oyunchimeg Сарангэрэл=sarangerel Номин=nomin Энхжаргал=enkhjargal",
    men: "Батбаяр=batbayar Төмөр=tomor Ганзориг=ganzorig Мөнхбат=monkhbat",
  },
  {
    weight: 1,
    places: "CA Iqaluit,Arviat",
    women: "ᓯᕿᓂᖅ=siqiniq ᐊᐅᔭᖅ=aujaq ᓂᕕ=nivi",
    men: "ᓇᓄᖅ=nanuq ᐱᑕ=pita ᔮᓂ=jaani",
  },
];
